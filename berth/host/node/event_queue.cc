#include "berth/host/node/event_queue.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <utility>

#include "berth/host/os/file_io.h"

namespace berth {

Status EventQueue::open() {
    pending_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!pending_) return system_error("cannot make the descriptor to watch events with", errno);
    return Done{};
}

void EventQueue::tell(AgentEvent event) {
    events_.push_back(std::move(event));
    const std::uint64_t one = 1;
    (void)!::write(pending_.get(), &one, sizeof one);
}

std::vector<AgentEvent> EventQueue::take() {
    std::vector<AgentEvent> taken(std::make_move_iterator(events_.begin()),
                                  std::make_move_iterator(events_.end()));
    events_.clear();
    return taken;
}

void EventQueue::clear_fd() const {
    std::uint64_t count = 0;
    (void)!::read(pending_.get(), &count, sizeof count);
}

}  // namespace berth
