// UnauthenticatedRates: limits the rate of handshakes and requests without a valid token, for each
// other host. They cost work before a user is known, so a host above the rate is delayed and then
// refused; other hosts are not affected. Thread-safe.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace berth {

// The key under which an address counts: the address, or its /64 network for IPv6, since one host
// may use all of it.
std::string network_of(const std::string& address);

class UnauthenticatedRates {
public:
    using Clock = std::chrono::steady_clock;

    struct Limits {
        std::int64_t at_once = 500;  // The burst; beyond it one for each …
        Clock::duration each = std::chrono::milliseconds(10);
        Clock::duration patience = std::chrono::seconds(5);  // A longer wait is refused.
        std::size_t hosts = 10'000;  // Hosts counted separately; all further ones share one count.
    };
    explicit UnauthenticatedRates(Limits limits) : limits_(limits) {}

    // For a new connection: the delay before it is served; nullopt: it is refused.
    std::optional<Clock::duration> came(const std::string& address, Clock::time_point now);
    // The connection has presented a valid token: it is not counted.
    void proved(const std::string& address, Clock::time_point now);
    // A request had no valid token. True: the connection has to end, and the host's next one waits.
    bool refused(const std::string& address, Clock::time_point now);

private:
    // When the host's count reaches zero at the given rate.
    Clock::time_point& account(const std::string& address, Clock::time_point now);
    Clock::duration wait(Clock::time_point paid, Clock::time_point now) const;

    const Limits limits_;
    std::mutex mutex_;
    std::map<std::string, Clock::time_point> paid_at_;
};

}  // namespace berth
