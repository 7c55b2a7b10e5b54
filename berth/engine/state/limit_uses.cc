#include "berth/engine/state/limit_uses.h"

namespace berth {
namespace {

std::int64_t count_of(const Job& job) {
    const bool waits = job.state == JobState::pending && job.spec.array;
    return waits ? static_cast<std::int64_t>(job.spec.array->tasks.size()) : 1;
}

// The sum of all entries from the first key on that still belong.
template <class Map, class Key, class Belongs>
LimitUse sum_from(const Map& map, const Key& first, Belongs belongs) {
    LimitUse sum;
    for (auto at = map.lower_bound(first); at != map.end() && belongs(at->first); ++at) {
        sum += at->second;
    }
    return sum;
}

}  // namespace

LimitUse& LimitUse::operator+=(const LimitUse& other) {
    submitted += other.submitted;
    running += other.running;
    nodes += other.nodes;
    amount += other.amount;
    for (const auto& [name, count] : other.licenses) licenses[name] += count;
    return *this;
}

void LimitUses::change(const Job& job, std::int64_t times) {
    if (is_final(job.state)) return;
    LimitUse change{.submitted = times * count_of(job)};
    if (job.allocation) {
        changed_.emplace(job.spec.account, job.owner->user, job.qos);
        change.running = times;
        change.nodes = times * static_cast<std::int64_t>(job.nodes.size());
        change.amount = job.allocated * times;
        for (const LicenseCount& one : job.allocation->licenses) {
            change.licenses[one.name] += times * one.count;
        }
    }
    const auto apply = [&](auto& map, const auto& key) {
        const auto at = map.try_emplace(key).first;
        at->second += change;
        std::erase_if(at->second.licenses, [](const auto& entry) { return entry.second == 0; });
        if (at->second.none()) map.erase(at);
    };
    apply(by_account_, std::tuple(job.spec.account, job.owner->user, job.qos));
    apply(by_qos_, std::tuple(job.qos, job.owner->user, job.spec.account));
}

LimitUse LimitUses::of_user(const std::string& account, const std::string& user) const {
    return sum_from(by_account_, std::tuple(account, user, QosId(0)), [&](const auto& key) {
        return std::get<0>(key) == account && std::get<1>(key) == user;
    });
}

LimitUse LimitUses::of_accounts(const std::vector<std::string>& accounts) const {
    LimitUse sum;
    for (const std::string& account : accounts) {
        sum += sum_from(by_account_, std::tuple(account, std::string(), QosId(0)),
                        [&](const auto& key) { return std::get<0>(key) == account; });
    }
    return sum;
}

LimitUse LimitUses::of_qos(QosId qos) const {
    return sum_from(by_qos_, std::tuple(qos, std::string(), std::string()),
                    [&](const auto& key) { return std::get<0>(key) == qos; });
}

LimitUse LimitUses::of_qos_user(QosId qos, const std::string& user) const {
    return sum_from(by_qos_, std::tuple(qos, user, std::string()), [&](const auto& key) {
        return std::get<0>(key) == qos && std::get<1>(key) == user;
    });
}

LimitUse LimitUses::of_qos_account(QosId qos, const std::string& account) const {
    LimitUse sum;
    const std::tuple first(qos, std::string(), std::string());
    for (auto at = by_qos_.lower_bound(first); at != by_qos_.end(); ++at) {
        if (std::get<0>(at->first) != qos) break;
        if (std::get<2>(at->first) == account) sum += at->second;
    }
    return sum;
}

}  // namespace berth
