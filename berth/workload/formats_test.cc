#include "berth/workload/formats.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "berth/base/text.h"
#include "berth/workload/muri.h"

namespace berth::workload {
namespace {

std::string data_folder() { return std::string(BERTH_SOURCE_DIR) + "/tests/data/traces/"; }

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

// All that a reader makes of a text, one line for each job and each bad row.
std::string to_text(const Workload& workload) {
    std::ostringstream out;
    out << workload.rows << " rows, " << workload.bad << " bad, " << workload.skipped
        << " with nothing to run, from " << workload.begin.value_or(-1) << "\n";
    for (const TraceJob& job : workload.jobs) {
        out << "job " << job.number << " at " << job.submit.count() << " for "
            << job.run_time.count() << " ms, limit " << job.limit.value_or(Duration(-1)).count()
            << ", " << job.gpus << " gpus of " << job.gpu_milli << " [" << join(job.gpu_types, " ")
            << "], " << job.cpu_milli.value_or(-1) << " mcpu, "
            << job.memory.value_or(Bytes(-1)).count() << " B, " << job.nodes.value_or(0)
            << " nodes; '" << job.user << "' '" << job.account << "' '" << job.name << "' '"
            << job.partition << "' '" << job.qos << "' " << to_string(job.outcome) << "\n";
    }
    for (const RowError& error : workload.errors) {
        out << "line " << error.line << ": " << error.message << "\n";
    }
    return std::move(out).str();
}

class EachFormat : public ::testing::TestWithParam<Format> {};

// BERTH_UPDATE_GOLDEN=1 writes the files anew.
TEST_P(EachFormat, ReadsItsGoldenFile) {
    const std::string path = data_folder() + std::string(GetParam().name);
    std::string text = contents(path + ".csv");
    if (text.empty()) text = contents(path + ".txt");
    ASSERT_FALSE(text.empty()) << path;
    const Result<Workload> read = GetParam().read(text);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_FALSE(read->jobs.empty());
    EXPECT_GT(read->bad, 0U) << "the file should have a bad row, too";
    if (std::getenv("BERTH_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(path + ".golden", std::ios::binary) << to_text(*read);
    }
    EXPECT_EQ(to_text(*read), contents(path + ".golden"));
}

TEST_P(EachFormat, RefusesWhatIsNoTraceAtAll) {
    for (const char* text : {"", "\n\n", "hello\nworld\n", "{\"a\": 1}"}) {
        const Result<Workload> read = GetParam().read(text);
        ASSERT_FALSE(read.ok()) << text;
        EXPECT_FALSE(read.error().message.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(Trace, EachFormat, ::testing::ValuesIn(formats()),
                         [](const auto& format) { return std::string(format.param.name); });

TEST(Formats, AreFoundByName) {
    for (const Format& format : formats()) EXPECT_EQ(find_format(format.name), &format);
    EXPECT_EQ(find_format("nothing"), nullptr);
}

TEST(MuriTrace, KeepsWhatItsOwnEventLoopNeeds) {
    const auto read = read_muri_jobs(contents(data_folder() + "muri.csv"));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->rows, 3U);
    EXPECT_EQ(read->bad, 1U);
    ASSERT_EQ(read->jobs.size(), 2U);
    EXPECT_EQ(read->jobs[1], (MuriJob{.id = 1,
                                      .gpus = 8,
                                      .submit_ms = 201'694'000,
                                      .iterations = 10,
                                      .iteration_ms = 509,
                                      .model = "vgg16"}));
}

}  // namespace
}  // namespace berth::workload
