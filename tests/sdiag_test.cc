// sdiag over a real socket, from what the controller tells of its work to the printed line.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "berth/server/http/server_rig.h"
#include "berth/slurm/tables/table_commands.h"

namespace berth {
namespace {

class Sdiag : public ServerRig {
protected:
    std::string sdiag(std::vector<std::string> arguments) {
        std::istringstream in;
        std::ostringstream out, err;
        slurm::Streams streams{in, out, err};
        const slurm::Invocation call{.name = "sdiag",
                                     .arguments = std::move(arguments),
                                     .environment = {{"BERTH_SOCKET", options.socket}}};
        const int code = slurm::run_sdiag(call, streams);
        return out.str() + err.str() + (code == 0 ? "" : "[exit " + std::to_string(code) + "]");
    }
    Diagnostics& counted() { return *options.diagnostics; }
    void cycle(CycleWork work) {
        work.ran = true;
        counted().cycle_begins();
        counted().cycle_ended(work);
    }
    // The number behind a label.
    static std::int64_t number(const std::string& text, const std::string& label) {
        const std::size_t at = text.find(label);
        return at == std::string::npos ? -1 : std::atoll(text.c_str() + at + label.size());
    }
};

TEST_F(Sdiag, HasSlurmsLines) {
    start();
    cycle({.queue = 4, .depth = 6, .tries = 3, .starts = 2, .passed = 1, .planned = 2});
    cycle({.queue = 2, .depth = 2, .tries = 1, .end = CycleWork::End::most_starts});
    cycle({.queue = 2, .depth = 1, .tries = 1, .end = CycleWork::End::out_of_budget});
    counted().cycle_begins();
    counted().cycle_ended({});  // It did not run.
    const std::string text = sdiag({});
    const std::string plain = std::regex_replace(
        text, std::regex("\\w{3} \\w{3} \\d\\d \\d\\d:\\d\\d:\\d\\d \\d{4} \\(\\d+\\)"), "DAY");
    const std::string stars(55, '*');
    EXPECT_EQ(plain.substr(0, plain.find("Jobs submitted")),
              stars + "\nsdiag output at DAY\nData since      DAY\n" + stars +
                  "\nServer thread count:  5\nAgent queue size:     0\nAgent count:          0\n"
                  "Agent thread count:   0\nDBD Agent queue size: 0\n\n");
    EXPECT_EQ(number(text, "\tTotal cycles: "), 3);
    EXPECT_EQ(number(text, "\tMean depth cycle:  "), 3);
    EXPECT_EQ(number(text, "\tLast queue length: "), 2);
    EXPECT_NE(text.find("\nMain scheduler exit:\n\tEnd of job queue: 1\n\tHit default_queue_depth: "
                        "0\n\tHit sched_max_job_start: 1\n"),
              std::string::npos)
        << text;
    const std::string backfill = text.substr(text.find("\nBackfilling stats\n"));
    EXPECT_EQ(number(backfill, "(since last slurm start): "), 1);
    EXPECT_EQ(number(backfill, "\tTotal cycles: "), 1);
    EXPECT_EQ(number(backfill, "\tLast depth cycle (try sched): "), 3);
    EXPECT_EQ(number(backfill, "\tQueue length mean: "), 4);
    EXPECT_EQ(number(backfill, "\tLast table size: "), 2);
    EXPECT_EQ(number(backfill, "\tTimeout (bf_max_time): "), 1);
    EXPECT_NE(text.find("\nPending RPC statistics\n\tNo pending RPCs\n"), std::string::npos);
}

TEST_F(Sdiag, CountsCallsByTypeAndUser) {
    start();
    sdiag({});
    sdiag({});
    const std::string text = sdiag({"-i"});
    EXPECT_TRUE(std::regex_search(
        text, std::regex("\n\tREQUEST_STATS_INFO {22}\\( 2035\\) count:2      ave_time:\\d+ +"
                         "total_time:\\d+\n")))
        << text;
    EXPECT_TRUE(std::regex_search(text, std::regex("\n\t\\w+ +\\( +\\d+\\) count:2 ")));
    EXPECT_EQ(sdiag({"-r"}), "Reset scheduling statistics\n");
    EXPECT_EQ(sdiag({}).find("count:2"), std::string::npos);
}

TEST_F(Sdiag, RefusesByNameWhatItHasNot) {
    start();
    EXPECT_NE(sdiag({"--json"}).find("--json"), std::string::npos);
    EXPECT_NE(sdiag({"-M", "other"}).find("--cluster"), std::string::npos);
    EXPECT_EQ(sdiag({"word"}), "sdiag: error: Unrecognized option: word\n[exit 1]");
    EXPECT_EQ(sdiag({"-V"}), "slurm 25.11.0\n");
}

}  // namespace
}  // namespace berth
