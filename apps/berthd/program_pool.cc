#include "apps/berthd/program_pool.h"

#include <csignal>

namespace berth {

ProgramPool::~ProgramPool() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        for (const int process : running_) ::kill(-process, SIGKILL);
    }
    put_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

bool ProgramPool::put(Work work) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(work));
    if (idle_ < waiting_.size() && threads_.size() < at_once_) {
        threads_.emplace_back([this] { run_all(); });
    }
    put_.notify_one();
    return true;
}

std::string ProgramPool::run(const Work& work) {
    for (const SiteProgram& program : work.programs) {
        int process = 0;
        std::string failure = run_program(program, [&](int id) {
            const std::lock_guard note(mutex_);
            running_.erase(process);
            process = id;
            if (id == 0) return;
            running_.insert(id);
            if (ending_) ::kill(-id, SIGKILL);
        });
        if (!failure.empty()) {
            return work.programs.size() == 1 ? failure : program.path + " " + failure;
        }
    }
    return {};
}

void ProgramPool::run_all() {
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        put_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        --idle_;
        if (ending_) return;
        const Work work = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        std::string failure = run(work);
        lock.lock();
        if (ending_) return;
        lock.unlock();
        work.over(std::move(failure));
        lock.lock();
    }
}

}  // namespace berth
