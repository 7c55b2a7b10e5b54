// UnauthenticatedRates: how much each other host has asked of us of late without saying whose it
// is. Its handshakes and its wrong tokens cost us work before anybody is known, so a host that goes
// on and on is heard late, and then not at all. Other hosts notice nothing. Any thread may ask it.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace berth {

// Whose account an address goes on: itself, or of IPv6 its network of 64 bits, all of which one
// host may use.
std::string network_of(const std::string& address);

class UnauthenticatedRates {
public:
    using Clock = std::chrono::steady_clock;

    struct Limits {
        std::int64_t at_once = 500;  // So many, and then one for each …
        Clock::duration each = std::chrono::milliseconds(10);
        Clock::duration patience = std::chrono::seconds(5);  // Who would wait longer is refused.
        std::size_t hosts = 10'000;  // With an account of their own; all further ones share one.
    };
    explicit UnauthenticatedRates(Limits limits) : limits_(limits) {}

    // A connection comes. After how long it is heard; nullopt: not at all.
    std::optional<Clock::duration> came(const std::string& address, Clock::time_point now);
    // It has shown a good token: it costs nothing.
    void proved(const std::string& address, Clock::time_point now);
    // A request has shown none, or a wrong one. True: the connection has to end, and the next one
    // from there waits.
    bool refused(const std::string& address, Clock::time_point now);

private:
    // When all that the host has asked for is paid, at one each so often.
    Clock::time_point& account(const std::string& address, Clock::time_point now);
    Clock::duration wait(Clock::time_point paid, Clock::time_point now) const;

    const Limits limits_;
    std::mutex mutex_;
    std::map<std::string, Clock::time_point> paid_at_;
};

}  // namespace berth
