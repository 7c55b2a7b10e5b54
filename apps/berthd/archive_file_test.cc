#include "apps/berthd/archive_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "berth/api/json.h"

namespace berth {
namespace {

std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

AccountingRecord job(std::uint32_t id, std::int64_t ended) {
    AccountingRecord record;
    record.job = JobId(id);
    record.name = "a \"name\"\n";
    record.state = JobState::completed;
    record.submitted_at = record.started_at.emplace(from_seconds(ended - 60));
    record.ended_at = from_seconds(ended);
    return record;
}

TEST(ArchiveFile, HasALineForEachJobAndAFileForEachMonth) {
    std::string folder = ::testing::TempDir() + "archive-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const ArchiveFile archive(folder);
    // The last second of January 2026 and the first of February.
    ASSERT_TRUE(archive.write({job(1, 1'769'903'999), job(2, 1'769'904'000)}, {}).ok());
    ASSERT_TRUE(archive.write({job(3, 1'769'904'001)}, {}).ok());
    const std::string january = content(folder + "/jobs-2026-01.jsonl");
    const std::string february = content(folder + "/jobs-2026-02.jsonl");
    EXPECT_EQ(std::ranges::count(january, '\n'), 1);
    EXPECT_EQ(std::ranges::count(february, '\n'), 2);
    const auto read = api::from_json<api::AccountingRow>(january.substr(0, january.find('\n')));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->name, "a \"name\"\n");
    std::filesystem::remove_all(folder);
}

TEST(ArchiveFile, SaysWhatIsWrongWithTheFolder) {
    const Status done = ArchiveFile("/no/such").write({job(1, 60)}, {});
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.error().message.find("/no/such"), std::string::npos);
}

}  // namespace
}  // namespace berth
