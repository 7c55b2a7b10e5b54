#include "berth/server/limits/unauthenticated_rates.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

namespace berth {

std::string network_of(const std::string& address) {
    in6_addr parsed{};
    if (::inet_pton(AF_INET6, address.c_str(), &parsed) != 1) return address;
    constexpr std::size_t kHostBytes = 8;
    char text[INET6_ADDRSTRLEN] = {};
    if (IN6_IS_ADDR_V4MAPPED(&parsed)) {
        ::inet_ntop(AF_INET, parsed.s6_addr + 12, text, sizeof text);
        return text;
    }
    std::fill(parsed.s6_addr + kHostBytes, parsed.s6_addr + sizeof parsed.s6_addr, std::uint8_t{0});
    ::inet_ntop(AF_INET6, &parsed, text, sizeof text);
    return std::string(text) + "/64";
}

UnauthenticatedRates::Clock::time_point& UnauthenticatedRates::account(const std::string& address,
                                                                       Clock::time_point now) {
    std::string host = network_of(address);
    const auto found = paid_at_.find(host);
    if (found != paid_at_.end()) return found->second;
    if (paid_at_.size() >= limits_.hosts) {
        std::erase_if(paid_at_, [now](const auto& one) { return one.second <= now; });
        if (paid_at_.size() >= limits_.hosts) host.clear();
    }
    return paid_at_.emplace(std::move(host), now).first->second;
}

UnauthenticatedRates::Clock::duration UnauthenticatedRates::wait(Clock::time_point paid,
                                                                 Clock::time_point now) const {
    return std::max(Clock::duration::zero(), paid - limits_.at_once * limits_.each - now);
}

std::optional<UnauthenticatedRates::Clock::duration> UnauthenticatedRates::came(
    const std::string& address, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    Clock::time_point& paid = account(address, now);
    const Clock::time_point after = std::max(paid, now) + limits_.each;
    const Clock::duration waits = wait(after, now);
    if (waits > limits_.patience) return std::nullopt;
    paid = after;
    return waits;
}

void UnauthenticatedRates::proved(const std::string& address, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    account(address, now) -= limits_.each;
}

bool UnauthenticatedRates::refused(const std::string& address, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    Clock::time_point& paid = account(address, now);
    paid = std::max(paid, now) + limits_.each;
    return wait(paid, now) > Clock::duration::zero();
}

}  // namespace berth
