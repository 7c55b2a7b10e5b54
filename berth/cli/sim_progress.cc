#include "berth/cli/sim_progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace berth::cli {

using Clock = std::chrono::steady_clock;

ProgressLine::ProgressLine(std::size_t simulations, std::size_t jobs_each)
    : of_(simulations),
      jobs_(simulations * jobs_each),
      shown_(isatty(STDERR_FILENO) != 0),
      begun_(Clock::now()),
      last_(begun_) {}

void ProgressLine::note(std::size_t simulation, const sim::Progress& progress) {
    if (!shown_) return;
    const std::scoped_lock lock(mutex_);
    of_[simulation] = progress;
    const Clock::time_point now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(500)) return;
    last_ = now;
    std::size_t ended = 0;
    std::uint64_t events = 0;
    for (const sim::Progress& one : of_) {
        ended += one.ended;
        events += one.events;
    }
    const double took = std::chrono::duration<double>(now - begun_).count();
    const double left =
        ended == 0 ? 0 : took * static_cast<double>(jobs_ - ended) / static_cast<double>(ended);
    std::fprintf(
        stderr, "\r%zu of %zu jobs (%.0f %%), %.0f events/s, %.0f s left \033[K", ended, jobs_,
        100.0 * static_cast<double>(ended) / static_cast<double>(std::max<std::size_t>(jobs_, 1)),
        static_cast<double>(events) / took, left);
}

void ProgressLine::end() {
    if (shown_) std::fputs("\r\033[K", stderr);
}

}  // namespace berth::cli
