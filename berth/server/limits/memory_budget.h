// RequestMemoryBudget: the memory that long bodies may take while they are received, promised
// before it is taken. Nobody gets more than his share, so that stuck bodies of one keep no others
// out.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace berth {

// All of it may be called from any thread.
class RequestMemoryBudget {
public:
    // In bytes, of all and of one.
    RequestMemoryBudget(std::uint64_t total, std::uint64_t share) : total_(total), share_(share) {}

    // False: there is not so much left, or it would be more than this one's share.
    bool take(const std::string& who, std::uint64_t bytes);
    void give(const std::string& who, std::uint64_t bytes);

private:
    std::mutex mutex_;
    const std::uint64_t total_, share_;
    std::uint64_t taken_ = 0;
    std::map<std::string, std::uint64_t> taken_by_;
};

}  // namespace berth
