#include "berth/cli/sim_progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace berth::cli {

using Clock = std::chrono::steady_clock;

ProgressLine::ProgressLine(std::size_t simulations, std::size_t jobs_each)
    : of_(simulations),
      jobs_(simulations * jobs_each),
      is_terminal_(isatty(STDERR_FILENO) != 0),
      begun_(Clock::now()),
      last_(begun_) {}

void ProgressLine::note(std::size_t simulation, const sim::Progress& progress) {
    const std::scoped_lock lock(mutex_);
    of_[simulation] = progress;
    const Clock::time_point now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(is_terminal_ ? 500 : 30'000)) return;
    last_ = now;
    std::size_t ended = 0;
    std::uint64_t events = 0;
    for (const sim::Progress& one : of_) {
        ended += one.ended;
        events += one.events;
    }
    const double took = std::chrono::duration<double>(now - begun_).count();
    const std::string text = progress_text(ended, jobs_, events, took);
    std::fprintf(stderr, is_terminal_ ? "\r%s \033[K" : "%s\n", text.c_str());
}

void ProgressLine::end() {
    if (is_terminal_) std::fputs("\r\033[K", stderr);
}

std::string progress_text(std::size_t ended, std::size_t jobs, std::uint64_t events,
                          double seconds) {
    const auto done =
        static_cast<double>(ended) / static_cast<double>(std::max<std::size_t>(jobs, 1));
    char text[160];
    const int n =
        std::snprintf(text, sizeof text, "%zu of %zu jobs (%.0f %%), %.0f events/s", ended, jobs,
                      100 * done, static_cast<double>(events) / std::max(seconds, 1e-3));
    std::string all(text, static_cast<std::size_t>(n));
    if (ended == 0) return all;
    std::snprintf(text, sizeof text, ", %.0f s left", seconds * (1 - done) / done);
    return all + text;
}

}  // namespace berth::cli
