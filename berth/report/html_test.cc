#include "berth/report/html.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace berth::report {
namespace {

using namespace std::chrono_literals;

TEST(Html, HoldsTheResultsAndNothingFromElsewhere) {
    workload::Workload workload;
    workload.jobs = {{.number = 1, .gpus = 8, .user = "ann", .account = "</script><b>x"}};
    PolicyRun run{"fifo", sim::SimulationResult(sim::kSimulationBegin), {}, 1};
    run.result.gpus = 8;
    run.result.nodes = 1;
    run.result.jobs = {
        {.gpus = 8, .ended = 100s, .ran = 100s, .state = JobState::completed, .starts = 1}};
    run.result.runs = {{0, 0s, 100s, 8, {{NodeId(0), {0, 1, 2, 3, 4, 5, 6, 7}}}}};
    run.metrics = metrics_of(workload, run.result);
    std::vector<PolicyRun> runs;
    runs.push_back(std::move(run));
    const std::string html = to_html({.trace = "t"}, workload, runs);
    const std::string begin = "id=\"results\">";
    const std::size_t at = html.find(begin) + begin.size();
    const auto json = nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at));
    EXPECT_EQ(json["runs"][0]["all"]["jct_s"]["mean"], 100);
    EXPECT_EQ(json["gantt"]["runs"][0][4], "</script><b>x");
    EXPECT_EQ(html.find("</script><b>"), std::string::npos);
    for (const char* outside : {"src=", "href=", "@import", "url(", "fetch("}) {
        EXPECT_EQ(html.find(outside), std::string::npos) << outside;
    }
}

}  // namespace
}  // namespace berth::report
