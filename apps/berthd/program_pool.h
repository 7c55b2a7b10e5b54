// ProgramPool: runs programs of the site's on threads of its own, so many at a time; the rest
// waits.
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
        std::vector<SiteProgram> programs;  // One after the other, until one fails.
        // Empty: all ended well; else the one that failed, and how. On the pool's thread.
        std::function<void(std::string failure)> over;
    };

    ProgramPool(std::size_t at_once, std::size_t waiting_max)
        : at_once_(at_once), waiting_max_(waiting_max) {}
    ~ProgramPool();  // Ends what still runs; nobody is told any more.
    ProgramPool(const ProgramPool&) = delete;
    ProgramPool& operator=(const ProgramPool&) = delete;

    // False: too much waits already.
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
