// RequestMemoryBudget: bounds the memory of long bodies while they are received. A session reserves
// memory before it allocates. Each user has a share, so stalled bodies of one user do not lock out
// the others.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace berth {

// Thread-safe.
class RequestMemoryBudget {
public:
    // In bytes, of all users and of one user.
    RequestMemoryBudget(std::uint64_t total, std::uint64_t share) : total_(total), share_(share) {}

    // False: not enough is left, or it would exceed this user's share.
    bool take(const std::string& who, std::uint64_t bytes);
    void give(const std::string& who, std::uint64_t bytes);

private:
    std::mutex mutex_;
    const std::uint64_t total_, share_;
    std::uint64_t taken_ = 0;
    std::map<std::string, std::uint64_t> taken_by_;
};

}  // namespace berth
