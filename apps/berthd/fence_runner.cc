#include "apps/berthd/fence_runner.h"

#include <csignal>

#include "apps/daemon/site_program.h"

namespace berth {
namespace {

// More nodes than this are switched off one after the other.
constexpr std::size_t kWorkersMax = 16;

SiteProgram program_of(const FenceCall& call) {
    return {.path = call.program,
            .arguments = {call.node, call.boot_id},
            .environment = {"BERTH_NODE=" + call.node, "BERTH_NODE_HOSTNAME=" + call.hostname,
                            "BERTH_NODE_ADDRESS=" + call.address, "BERTH_BOOT_ID=" + call.boot_id},
            .timeout = call.timeout};
}

}  // namespace

FenceRunner::FenceRunner(std::function<void(FenceAnswered)> tell) : tell_(std::move(tell)) {}

FenceRunner::~FenceRunner() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        for (const int process : running_) ::kill(-process, SIGKILL);
    }
    called_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void FenceRunner::call(FenceCall call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
    if (idle_ < calls_.size() && workers_.size() < kWorkersMax) {
        workers_.emplace_back([this] { work(); });
    }
    called_.notify_one();
}

void FenceRunner::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        called_.wait(lock, [this] { return ending_ || !calls_.empty(); });
        --idle_;
        if (ending_) return;
        const FenceCall call = std::move(calls_.front());
        calls_.pop_front();
        lock.unlock();
        int process = 0;
        std::string failure = run_program(program_of(call), [&](int id) {
            const std::lock_guard note(mutex_);
            running_.erase(process);
            process = id;
            if (id == 0) return;
            running_.insert(id);
            if (ending_) ::kill(-id, SIGKILL);
        });
        lock.lock();
        if (ending_) return;
        lock.unlock();
        tell_({.node = call.node, .boot_id = call.boot_id, .failure = std::move(failure)});
        lock.lock();
    }
}

}  // namespace berth
