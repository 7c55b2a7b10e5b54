#include "bench/queue_load.h"

#include <fstream>
#include <sstream>

#include "bench/engine_load.h"

namespace berth::bench {
namespace {

constexpr std::uint32_t kNodesMax = 100'000;
constexpr std::int64_t kGpusOnNode = 8;

bool read_line(GivenQueue& queue, const std::string& line) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "nodes") {
        words >> queue.nodes;
    } else if (kind == "run") {
        GivenQueue::Run& run = queue.runs.emplace_back();
        words >> run.nodes >> run.minutes;
    } else if (kind == "job") {
        GivenQueue::Waiting& job = queue.jobs.emplace_back();
        words >> job.nodes >> job.gpus >> job.minutes;
        if (job.nodes < 1 || job.nodes > queue.nodes || job.gpus < 1 || job.gpus > kGpusOnNode) {
            return false;
        }
    } else {
        return false;
    }
    return !words.fail() && queue.nodes > 0 && queue.nodes <= kNodesMax;
}

}  // namespace

Result<GivenQueue> read_queue(const std::string& file) {
    std::ifstream in(file);
    GivenQueue queue;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (!read_line(queue, line)) {
            return Error{
                ErrorCode::invalid_argument,
                file + ":" + std::to_string(number) +
                    ": wanted: nodes COUNT, run NODES MINUTES or job NODES GPUS MINUTES, with "
                    "no more than there are"};
        }
    }
    std::uint32_t held = 0;
    for (const GivenQueue::Run& run : queue.runs) held += run.nodes;
    if (number == 0 || held > queue.nodes) {
        return Error{ErrorCode::invalid_argument,
                     file + ": is empty, or more nodes run than there are"};
    }
    return queue;
}

Engine busy_engine(const GivenQueue& queue) {
    Engine engine = empty_engine(queue.nodes, 1);
    std::uint32_t next = 0;
    for (const GivenQueue::Run& run : queue.runs) {
        run_on_whole(engine, next, run.nodes, std::chrono::minutes(run.minutes));
        next += run.nodes;
    }
    return engine;
}

void submit(Engine& engine, const GivenQueue& queue) {
    for (const GivenQueue::Waiting& job : queue.jobs) {
        engine.apply(Time{}, JobSubmitted{job_of(engine.state(), Time{}, 0, job.nodes, job.gpus,
                                                 std::chrono::minutes(job.minutes))});
    }
}

}  // namespace berth::bench
