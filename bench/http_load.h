// Requests to berthd over kept-alive connections, with the time that each took. Bare sockets and
// one thread, so that the asking costs little beside what is asked.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::bench {

struct Reply {
    int status = 0;
    std::string body;
    double ms = 0;  // From the first byte of the request to the last of the reply.
};

class Connection {
public:
    // As this user, where the bench is root: the kernel tells the server who connects.
    explicit Connection(const std::string& socket, std::optional<std::uint32_t> uid = std::nullopt);
    ~Connection();
    Connection(Connection&& other) noexcept;

    Reply call(std::string_view request);  // Waits.

    void begin(std::string_view request);
    int fd() const { return fd_; }
    // Reads what is there. nullopt: the reply is not complete.
    std::optional<Reply> read_some();

private:
    std::optional<std::size_t> body_end(std::size_t head_end) const;

    int fd_ = -1;
    std::string incoming_;
    std::chrono::steady_clock::time_point begun_;
};

std::string post(std::string_view path, std::string_view body);
std::string patch(std::string_view path, std::string_view body);
std::string get(std::string_view path);

// Keeps a request on its way on each connection for as long as `next` gives one; "" rests that
// connection for a moment, nullopt ends it. Returns when all have ended and are answered.
void drive(std::vector<Connection>& connections,
           const std::function<std::optional<std::string>(std::size_t connection)>& next,
           const std::function<void(std::size_t connection, Reply reply)>& answered);

// Sorted times, and what is said of them.
class Times {
public:
    void add(double ms) { all_.push_back(ms); }
    std::size_t count() const { return all_.size(); }
    double at(double share);  // 0.5: the median. 1: the worst.

private:
    std::vector<double> all_;
    bool sorted_ = false;
};

}  // namespace berth::bench
