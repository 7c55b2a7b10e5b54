// ProgressLine: how far simulations have come, at what rate, and how much longer they will take:
// one line on standard error, where that is a terminal.
#pragma once

#include <chrono>
#include <mutex>
#include <vector>

#include "berth/sim/simulation.h"

namespace berth::cli {

class ProgressLine {
public:
    ProgressLine(std::size_t simulations, std::size_t jobs_each);

    void note(std::size_t simulation, const sim::Progress& progress);  // From any thread.
    void end();

private:
    std::mutex mutex_;
    std::vector<sim::Progress> of_;
    std::size_t jobs_;
    bool shown_;
    std::chrono::steady_clock::time_point begun_, last_;
};

}  // namespace berth::cli
