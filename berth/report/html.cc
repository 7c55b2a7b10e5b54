#include "berth/report/html.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

// Enough for a smooth curve, however many jobs there are.
constexpr std::size_t kCurvePoints = 240;
constexpr std::size_t kRunsShown = 2500;

double seconds_in(Duration length) { return static_cast<double>(length.count()) / 1000; }

// [value, fraction of jobs with no more] at even steps of the fraction.
Json curve_of(std::vector<double> values) {
    Json points = Json::array();
    if (values.empty()) return points;
    std::ranges::sort(values);
    for (std::size_t i = 0; i <= kCurvePoints; ++i) {
        const std::size_t at = std::min(values.size() - 1, values.size() * i / kCurvePoints);
        points.push_back({values[at], static_cast<double>(i) / kCurvePoints});
    }
    return points;
}

Json curves_of(const workload::Workload& workload, const sim::SimulationResult& result) {
    std::vector<double> waiting, completion, fairness;
    for (std::size_t i = 0; i < result.jobs.size(); ++i) {
        const sim::JobRecord& job = result.jobs[i];
        if (job.refused || !is_final(job.state)) continue;
        if (job.starts > 0) {
            fairness.push_back(finish_time_fairness(job, workload.jobs[i], result.gpus));
        }
        const Duration start = job.starts > 0 ? job.first_start : job.ended;
        waiting.push_back(seconds_in(start - job.submitted));
        completion.push_back(seconds_in(job.ended - job.submitted));
    }
    return {{"waiting", curve_of(std::move(waiting))},
            {"jct", curve_of(std::move(completion))},
            {"fairness", curve_of(std::move(fairness))}};
}

// The runs that took most GPU time: [node, first GPU's row, GPUs, start, end, job, account].
Json runs_of(const workload::Workload& workload, const sim::SimulationResult& result) {
    std::vector<const sim::RunRecord*> runs;
    runs.reserve(result.runs.size());
    for (const sim::RunRecord& run : result.runs) runs.push_back(&run);
    const auto work = [](const sim::RunRecord* run) {
        return (run->ended - run->started).count() * run->gpus;
    };
    std::ranges::stable_sort(runs, std::ranges::greater{}, work);
    if (runs.size() > kRunsShown) runs.resize(kRunsShown);
    Json all = Json::array();
    for (const sim::RunRecord* run : runs) {
        const workload::TraceJob& job = workload.jobs[run->job];
        Json places = Json::array();
        for (const sim::RunPlace& place : run->places) {
            places.push_back({place.node.value(), place.devices});
        }
        all.push_back({seconds_in(run->started), seconds_in(run->ended), job.number, run->gpus,
                       job.account, std::move(places)});
    }
    return all;
}

// So that no text of a trace ends the element it stands in.
std::string for_script(const std::string& json) {
    std::string text;
    text.reserve(json.size());
    for (const char letter : json) {
        if (letter == '<') {
            text += "\\u003c";
        } else {
            text += letter;
        }
    }
    return text;
}

}  // namespace

std::string to_html(const RunSettings& settings, const workload::Workload& workload,
                    const std::vector<PolicyRun>& runs) {
    Json page = Json::parse(to_json(settings, runs, true));
    for (std::size_t i = 0; i < runs.size(); ++i) {
        page["runs"][i]["curves"] = curves_of(workload, runs[i].result);
    }
    if (!runs.empty()) {
        page["gantt"] = {{"policy", runs.front().policy},
                         {"all", runs.front().result.runs.size()},
                         {"runs", runs_of(workload, runs.front().result)}};
    }
    std::string html(page_head());
    html += "<script type=\"application/json\" id=\"results\">";
    html += for_script(page.dump(-1, ' ', false, Json::error_handler_t::replace));
    html += "</script>\n<script>\n";
    html += page_script();
    html += "</script>\n</body>\n</html>\n";
    return html;
}

}  // namespace berth::report
