// PeerNames: the user names and groups of uids, cached. The system's lists may be on another host
// and slow, so they are queried on threads of their own.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "berth/server/auth/peer.h"

namespace berth {

class PeerNames {
public:
    struct Settings {
        std::chrono::milliseconds kept = std::chrono::minutes(1);
        // After `kept`, an answer is still used for this long while it is queried again.
        std::chrono::milliseconds used_stale = std::chrono::minutes(10);
        std::function<Principal(PeerIds)> ask = ask_system;
        std::function<std::optional<PeerIds>(const std::string&)> ask_user = ids_of_user;
    };
    PeerNames() : PeerNames(Settings{}) {}
    explicit PeerNames(Settings settings) : settings_(std::move(settings)) {}
    ~PeerNames() { stop(); }

    // Calls `then` at once if the names are known; otherwise later, on another thread.
    void find(PeerIds ids, std::function<void(const Principal&)> then);
    // The same for a user by name; nullopt: there is none, or its uid has changed.
    void find_user(const std::string& name, std::uint32_t uid,
                   std::function<void(std::optional<Principal>)> then);

    // Queries that are not answered by now are dropped.
    void stop();

private:
    using Clock = std::chrono::steady_clock;
    struct Known {
        Principal principal;
        Clock::time_point asked_at;
        bool asking = false;
    };
    std::optional<Principal> known(PeerIds ids, bool& ask_again);
    std::optional<PeerIds> known_user(const std::string& name);
    void keep(PeerIds ids, const Principal& principal);
    Principal ask(PeerIds ids);

    const Settings settings_;
    std::mutex mutex_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Known> known_;  // By uid and gid.
    std::map<std::string, std::pair<PeerIds, Clock::time_point>> users_;
    boost::asio::thread_pool threads_{2};
};

}  // namespace berth
