#include "berth/client/patience.h"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace berth {
namespace {

SilenceNotice& notice_of_process() {
    static SilenceNotice notice;
    return notice;
}

}  // namespace

void set_silence_notice(SilenceNotice notice) { notice_of_process() = std::move(notice); }
const SilenceNotice& silence_notice() { return notice_of_process(); }

bool sleep_unless(int stop_fd, std::chrono::milliseconds most) {
    using std::chrono::steady_clock;
    const auto until = steady_clock::now() + most;
    for (auto rest = most;;
         rest = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now())) {
        pollfd stop{stop_fd, POLLIN, 0};  // A negative descriptor is passed over.
        const auto milliseconds = std::max<std::int64_t>(0, rest.count());
        if (::poll(&stop, 1, static_cast<int>(milliseconds)) > 0) return false;
        if (rest.count() <= 0) return true;
    }
}

}  // namespace berth
