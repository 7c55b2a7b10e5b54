#include "berth/server/auth/peer_names.h"

#include <boost/asio/post.hpp>

namespace berth {
namespace {

constexpr std::size_t kNamesMax = 10'000;

}  // namespace

std::optional<Principal> PeerNames::known(PeerIds ids, bool& ask_again) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find({ids.uid, ids.gid});
    if (found == known_.end()) return std::nullopt;
    const auto age = Clock::now() - found->second.asked_at;
    if (age > settings_.kept + settings_.used_stale) return std::nullopt;
    ask_again = age > settings_.kept && !std::exchange(found->second.asking, true);
    return found->second.principal;
}

void PeerNames::keep(PeerIds ids, const Principal& principal) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kNamesMax) known_.clear();
    known_[{ids.uid, ids.gid}] = {principal, Clock::now()};
}

Principal PeerNames::ask(PeerIds ids) {
    Principal principal = settings_.ask(ids);
    keep(ids, principal);
    return principal;
}

void PeerNames::find(PeerIds ids, std::function<void(const Principal&)> then) {
    bool ask_again = false;
    if (const auto principal = known(ids, ask_again)) {
        if (ask_again) boost::asio::post(threads_, [this, ids] { ask(ids); });
        return then(*principal);
    }
    boost::asio::post(threads_, [this, ids, then = std::move(then)] { then(ask(ids)); });
}

std::optional<PeerIds> PeerNames::known_user(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = users_.find(name);
    const bool fresh =
        found != users_.end() && Clock::now() - found->second.second <= settings_.kept;
    return fresh ? std::optional(found->second.first) : std::nullopt;
}

void PeerNames::find_user(const std::string& name, std::uint32_t uid,
                          std::function<void(std::optional<Principal>)> then) {
    const auto take = [this, uid, then = std::move(then)](std::optional<PeerIds> ids) {
        if (!ids || ids->uid != uid) return then(std::nullopt);
        find(*ids, then);
    };
    if (const auto ids = known_user(name)) return take(ids);
    boost::asio::post(threads_, [this, name, take] {
        const std::optional<PeerIds> ids = settings_.ask_user(name);
        if (ids) {
            const std::lock_guard lock(mutex_);
            if (users_.size() >= kNamesMax) users_.clear();
            users_[name] = {*ids, Clock::now()};
        }
        take(ids);
    });
}

void PeerNames::stop() {
    threads_.stop();
    threads_.join();
}

}  // namespace berth
