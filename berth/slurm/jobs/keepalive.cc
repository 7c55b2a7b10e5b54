#include "berth/slurm/jobs/keepalive.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "berth/client/client.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/step/job_look.h"

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kKeepAlivePause = 1s;
constexpr std::chrono::milliseconds kPauseAfterFailure = 2s;

}  // namespace

Keepalive::Keepalive(const Invocation& call, std::string job) : call_(call), job_(std::move(job)) {
    stop_fd_ = ::eventfd(0, EFD_CLOEXEC);
    // Signals are for the thread that waits for them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    thread_ = std::thread([this] { attend(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Keepalive::~Keepalive() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    over_.notify_all();
    const std::uint64_t one = 1;
    (void)!::write(stop_fd_, &one, sizeof one);
    thread_.join();
    ::close(stop_fd_);
}

// A controller that is away for a while counts anew when it is back.
void Keepalive::attend() {
    std::unique_lock lock(mutex_);
    std::chrono::milliseconds pause = kKeepAlivePause;
    while (!over_.wait_for(lock, pause, [this] { return is_over_; })) {
        lock.unlock();
        ClientOptions options = kOneTry;
        options.stop_fd = stop_fd_;
        Client client(endpoint_of(call_), options);
        const auto reply = client.own_job().keep_alive(job_);
        pause = reply ? std::max<std::chrono::milliseconds>(reply->again_in, kKeepAlivePause)
                      : kPauseAfterFailure;
        lock.lock();
    }
}

}  // namespace berth::slurm
