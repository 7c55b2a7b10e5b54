#include "berth/client/host_lookup.h"

#include <netdb.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <system_error>
#include <thread>

#include "berth/base/assert.h"

namespace berth {

struct HostLookup::State {
    std::string host, port;
    int done = ::eventfd(0, EFD_CLOEXEC);
    addrinfo* found = nullptr;
    int error = 0;
    std::atomic<bool> over = false;

    ~State() {
        if (found != nullptr) ::freeaddrinfo(found);
        if (done >= 0) ::close(done);
    }
    void look(int flags) {
        addrinfo hints{};
        hints.ai_flags = flags;
        hints.ai_socktype = SOCK_STREAM;
        error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
    }
    void end() {
        over.store(true, std::memory_order_release);
        const std::uint64_t one = 1;
        (void)!::write(done, &one, sizeof one);
    }
};

HostLookup::HostLookup(const std::string& host, std::uint16_t port)
    : state_(std::make_shared<State>()) {
    state_->host = host;
    state_->port = std::to_string(port);
    state_->look(AI_NUMERICHOST);
    // Out of descriptors: nothing could tell of the end.
    if (state_->error == EAI_NONAME && state_->done < 0) state_->look(0);
    if (state_->error != EAI_NONAME || state_->done < 0) {
        state_->end();
        return;
    }
    // Signals are for the thread that waits for them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    try {
        std::thread([state = state_] {
            state->look(0);
            state->end();
        }).detach();
    } catch (const std::system_error&) {  // No thread is to be had: then this one waits.
        state_->look(0);
        state_->end();
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

int HostLookup::fd() const { return state_->done; }

bool HostLookup::is_over() const { return state_->over.load(std::memory_order_acquire); }

int HostLookup::error() const {
    BERTH_ASSERT(is_over());
    return state_->error;
}

const addrinfo* HostLookup::addresses() const { return state_->found; }

}  // namespace berth
