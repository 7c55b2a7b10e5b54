// Two recorded journals are decided again, as by `berth replay --decide`: the engine decides what
// it decided when they were recorded.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "berth/store/journal_table.h"
#include "berth/store/replay.h"
#include "berth/store/schema.h"
#include "berth/store/small_cluster.h"
#include "tests/baseline/folder.h"

namespace berth::baseline {
namespace {

class BaselineJournals : public ::testing::Test {
protected:
    void take(const std::string& name) {
        std::filesystem::copy(path_of("journals/" + name), folder_.path(),
                              std::filesystem::copy_options::recursive);
    }
    void decide_the_same(std::uint64_t at_least) {
        const auto again = decide_again(folder_.path());
        ASSERT_TRUE(again.ok()) << again.error().message;
        EXPECT_EQ(again->oldest, 0U) << "the journal begins with its first record";
        if (again->first) {
            ADD_FAILURE() << "record " << again->first->sequence
                          << " has: " << again->first->recorded
                          << "\nthis program decides: " << again->first->ours;
        }
        EXPECT_GE(again->decisions, at_least);
    }
    template <class Kind>
    std::size_t count(const std::function<bool(const Kind&)>& passes = {}) {
        std::size_t found = 0;
        Database database = *Database::open(folder_.path() + '/' + kStateFile, {.read_only = true});
        JournalTable journal = *JournalTable::prepare(database);
        const Status read = journal.read_after(0, [&](const Record& record, auto) -> Status {
            for (const Fact& fact : record.facts) {
                const auto* const one = std::get_if<Kind>(&fact);
                if (one != nullptr && (!passes || passes(*one))) ++found;
            }
            return Done{};
        });
        EXPECT_TRUE(read.ok());
        return found;
    }
    std::size_t count_ends(JobState outcome) {
        return count<EndJob>([&](const EndJob& end) { return end.outcome == outcome; });
    }
    // What makes a journal worth deciding again.
    void expect_variety() {
        EXPECT_GE(count<StartJob>(), 30U);
        EXPECT_GE(count<JobsPlanned>() + count<PlanJob>(), 3U) << "planned starts";
        EXPECT_GE(count<ReservationSet>(), 1U);
        EXPECT_GE(count<ControllerStarted>(), 2U) << "a controller fell";
        EXPECT_GE(count_ends(JobState::pending), 1U) << "requeued";
        EXPECT_GE(count_ends(JobState::timeout), 1U);
        EXPECT_GE(count_ends(JobState::cancelled) + count<JobCancelled>(), 1U);
    }
    testing::Folder folder_;
};

TEST_F(BaselineJournals, ADaemonsIsDecidedTheSameAgain) {
    take("daemon");
    expect_variety();
    EXPECT_GE(count<AccountingEdited>(), 3U) << "accounts with limits, a QOS";
    EXPECT_GE(count<JobSuspended>(), 2U);
    EXPECT_GE(count<NodeUpdated>(), 2U);
    decide_the_same(50);
}

TEST_F(BaselineJournals, AWorldsIsDecidedTheSameAgain) {
    take("world");
    expect_variety();
    EXPECT_GE(count<NodeNotResponding>(), 1U);
    decide_the_same(100);
}

}  // namespace
}  // namespace berth::baseline
