// What an earlier program wrote is read as it was written: a store, a snapshot, an agent's memory,
// a launcher's ledger. What each holds stands beside it, as text of content.h.
#include "tests/baseline/written_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "berth/store/replay.h"
#include "berth/store/small_cluster.h"
#include "tests/baseline/content.h"
#include "tests/baseline/folder.h"

namespace berth::baseline {
namespace {

namespace fs = std::filesystem;
using testing::Folder;
using testing::SmallCluster;

// Kinds of facts that there were when the store was written. Those that came later are appended.
constexpr std::size_t kKindsThen = 34;

// The files of a program are opened as a copy: what is committed stays as it was.
void copy_into(const Folder& folder, const std::string& name) {
    fs::copy(path_of(name), folder.path(), fs::copy_options::recursive);
}

void expect_as_written(const Result<std::string>& now, const std::string& before) {
    ASSERT_TRUE(now.ok()) << now.error().message;
    ASSERT_FALSE(before.empty());
    EXPECT_EQ(difference(before, *now), "");
}

TEST(BaselineFiles, AStoreIsReadAsItWasWritten) {
    const Folder folder;
    copy_into(folder, "store");
    const auto replayed = replay(folder.path());
    ASSERT_TRUE(replayed.ok()) << replayed.error().message;
    EXPECT_EQ(replayed->snapshot_sequence, 0U) << "from the first record on";
    const std::string before = read_file(path_of("state.txt"));
    expect_as_written(visible(replayed->state, before), before);
    const std::string rows = read_file(path_of("accounting.txt"));
    expect_as_written(accounting_of(folder.path(), rows), rows);
    SmallCluster cluster(folder.path());
    ASSERT_TRUE(cluster.ok()) << cluster.error;
    cluster.state().check_invariants();
    EXPECT_TRUE(cluster.become_leader(cluster.opened().last_at).ok()) << "a controller goes on";
}

TEST(BaselineFiles, TheStoreHasEveryKindOfFact) {
    const Folder folder;
    copy_into(folder, "store");
    const std::string before = read_file(path_of("facts.txt"));
    std::set<std::size_t> kinds;
    expect_as_written(facts_of(folder.path(), before, &kinds), before);
    for (std::size_t kind = 0; kind < kKindsThen; ++kind) {
        EXPECT_TRUE(kinds.contains(kind)) << "no fact of kind " << kind;
    }
}

TEST(BaselineFiles, ASnapshotIsReadAsItWasWritten) {
    const Folder folder;
    copy_into(folder, "snapshot");
    const auto replayed = replay(folder.path());
    ASSERT_TRUE(replayed.ok()) << replayed.error().message;
    EXPECT_GT(replayed->snapshot_sequence, 0U);
    EXPECT_GT(replayed->records, 0U) << "some records follow the snapshot";
    const std::string before = read_file(path_of("state.txt"));
    expect_as_written(visible(replayed->state, before), before);  // The store's, by another way.
    EXPECT_TRUE(verify(folder.path()).ok());
}

TEST(BaselineFiles, AnAgentsMemoryIsReadAsItWasWritten) {
    const Folder folder;
    copy_into(folder, "memory");
    const std::string before = read_file(path_of("memory.txt"));
    expect_as_written(memory_of(folder.path(), before), before);
}

TEST(BaselineFiles, ALaunchersLedgerIsReadAsItWasWritten) {
    const Folder folder;
    copy_into(folder, "ledger");
    const std::string before = read_file(path_of("ledger.txt"));
    expect_as_written(ledger_of(folder.path(), before), before);
}

// For the next baseline: a kind of fact that the history below forgets is seen here.
TEST(BaselineFiles, ANewStoreWouldHaveEveryKindOfFactThatThereIs) {
    const Folder folder;
    const Status written = write_store(folder.path(), false);
    ASSERT_TRUE(written.ok()) << written.error().message;
    std::set<std::size_t> kinds;
    ASSERT_TRUE(facts_of(folder.path(), "", &kinds).ok());
    for (std::size_t kind = 0; kind < std::variant_size_v<Fact>; ++kind) {
        EXPECT_TRUE(kinds.contains(kind)) << "write_files.cc makes no fact of kind " << kind;
    }
}

// ---- What the comparison sees, and what it does not.

struct Then {
    std::int32_t a = 0;
    std::vector<std::string> words;
    BERTH_FIELDS(Then, a, words)
};
struct Now {  // The same format, one field later.
    std::int32_t renamed = 0;
    std::vector<std::string> words;
    std::int32_t appended = 5;
    BERTH_FIELDS(Now, renamed, words, appended)
};

TEST(BaselineFiles, AnAppendedFieldIsNoDifferenceAndAnyOtherIs) {
    const auto text_of = [](const auto& value, const std::string& known) {
        Content content(known);
        content.add("it", value);
        return content.text();
    };
    const std::string before = text_of(Then{3, {"x"}}, "");
    EXPECT_EQ(difference(before, text_of(Now{3, {"x"}, 5}, before)), "");
    EXPECT_NE(difference(before, text_of(Now{4, {"x"}, 5}, before)), "");
    EXPECT_NE(difference(before, text_of(Now{3, {"y"}, 5}, before)), "");
    EXPECT_NE(difference(before, text_of(Now{3, {}, 5}, before)), "");
    EXPECT_NE(difference(before, text_of(Now{0, {"x"}, 5}, before)), "");
    EXPECT_NE(difference(text_of(Now{0, {}, 5}, ""), text_of(Then{}, "")), "") << "a field is gone";
}

}  // namespace
}  // namespace berth::baseline
