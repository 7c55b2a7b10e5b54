// ProgramPool: runs the site's programs on a limited number of threads; further work waits.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "apps/daemon/site_program.h"

namespace berth {

class ProgramPool {
public:
    struct Work {
        std::vector<SiteProgram> programs;  // In order, until one fails.
        // `failure`: empty if all succeeded, otherwise which program failed and how. Called on the
        // pool's thread.
        std::function<void(std::string failure)> over;
    };

    ProgramPool(std::size_t at_once, std::size_t waiting_max)
        : at_once_(at_once), waiting_max_(waiting_max) {}
    ~ProgramPool();  // Kills what still runs, without a report.
    ProgramPool(const ProgramPool&) = delete;
    ProgramPool& operator=(const ProgramPool&) = delete;

    // Returns false if too much work waits already.
    bool put(Work work);

private:
    void run_all();
    std::string run(const Work& work);

    const std::size_t at_once_, waiting_max_;
    std::mutex mutex_;
    std::condition_variable put_;
    std::deque<Work> waiting_;
    std::set<int> running_;
    std::size_t idle_ = 0;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace berth
