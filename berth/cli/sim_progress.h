// ProgressLine: how far simulations have come, at what rate, and how much longer they will take, on
// standard error: one line that changes where that is a terminal, else a line each half minute.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "berth/sim/simulation.h"

namespace berth::cli {

// "1200 of 3000 jobs (40 %), 5100 events/s, 12 s left"
std::string progress_text(std::size_t ended, std::size_t jobs, std::uint64_t events,
                          double seconds);

class ProgressLine {
public:
    ProgressLine(std::size_t simulations, std::size_t jobs_each);

    void note(std::size_t simulation, const sim::Progress& progress);  // From any thread.
    void end();

private:
    std::mutex mutex_;
    std::vector<sim::Progress> of_;
    std::size_t jobs_;
    bool is_terminal_;
    std::chrono::steady_clock::time_point begun_, last_;
};

}  // namespace berth::cli
