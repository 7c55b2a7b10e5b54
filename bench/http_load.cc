#include "bench/http_load.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "bench/live_daemon.h"

namespace berth::bench {

namespace {

// Of this thread alone, which is why it is not seteuid().
void become(std::uint32_t uid) { (void)syscall(SYS_setresuid, -1, uid, -1); }

int connect_to(const std::string& path) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets.
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        give_up("cannot connect to " + path + ": " + std::strerror(errno));
    return fd;
}

std::string request(std::string_view method, std::string_view path, std::string_view body) {
    std::string text(method);
    text.append(" ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\n");
    if (!body.empty() || method != "GET") {
        text.append("Content-Type: application/json\r\nContent-Length: ")
            .append(std::to_string(body.size()))
            .append("\r\n");
    }
    return text.append("\r\n").append(body);
}

}  // namespace

Connection::Connection(const std::string& socket, std::optional<std::uint32_t> uid) {
    const bool other = uid && geteuid() == 0;
    if (other) become(*uid);
    fd_ = connect_to(socket);
    if (other) become(0);
}

Connection::Connection(Connection&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      incoming_(std::move(other.incoming_)),
      begun_(other.begun_) {}

Connection::~Connection() {
    if (fd_ >= 0) close(fd_);
}

void Connection::begin(std::string_view request) {
    begun_ = std::chrono::steady_clock::now();
    while (!request.empty()) {
        const ssize_t sent = ::send(fd_, request.data(), request.size(), MSG_NOSIGNAL);
        if (sent <= 0)
            give_up(std::string("berthd does not take a request: ") + std::strerror(errno));
        request.remove_prefix(static_cast<std::size_t>(sent));
    }
}

// nullopt: it has not all come.
std::optional<std::size_t> Connection::body_end(std::size_t head_end) const {
    const std::string_view head = std::string_view(incoming_).substr(0, head_end);
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t at = head.find(kLength);
    if (at == std::string_view::npos) {  // In chunks. JSON has no bare end of a line.
        if (!incoming_.ends_with("\r\n0\r\n\r\n")) return std::nullopt;
        return incoming_.size();
    }
    std::size_t length = 0;
    const char* const digits = head.data() + at + kLength.size();
    std::from_chars(digits, head.data() + head.size(), length);
    if (incoming_.size() < head_end + length) return std::nullopt;
    return head_end + length;
}

std::optional<Reply> Connection::read_some() {
    std::array<char, 1 << 16> bytes;
    const ssize_t got = recv(fd_, bytes.data(), bytes.size(), 0);
    if (got <= 0) give_up("berthd has closed a connection in the middle of a request");
    incoming_.append(bytes.data(), static_cast<std::size_t>(got));
    const std::size_t blank = incoming_.find("\r\n\r\n");
    if (blank == std::string::npos) return std::nullopt;
    const std::optional<std::size_t> end = body_end(blank + 4);
    if (!end) return std::nullopt;
    Reply reply{.ms = milliseconds_since(begun_)};
    std::from_chars(incoming_.data() + 9, incoming_.data() + 12, reply.status);
    reply.body = incoming_.substr(blank + 4, *end - blank - 4);
    incoming_.erase(0, *end);
    return reply;
}

Reply Connection::call(std::string_view request) {
    begin(request);
    for (;;) {
        if (auto reply = read_some()) return *std::move(reply);
    }
}

std::string post(std::string_view path, std::string_view body) {
    return request("POST", path, body);
}
std::string patch(std::string_view path, std::string_view body) {
    return request("PATCH", path, body);
}
std::string get(std::string_view path) { return request("GET", path, {}); }

void drive(std::vector<Connection>& connections,
           const std::function<std::optional<std::string>(std::size_t)>& next,
           const std::function<void(std::size_t, Reply)>& answered) {
    enum class Is : std::uint8_t { resting, waiting, ended };
    std::vector<Is> is(connections.size(), Is::resting);
    std::vector<pollfd> waited(connections.size());
    for (;;) {
        bool resting = false, waiting = false;
        for (std::size_t i = 0; i < connections.size(); ++i) {
            if (is[i] == Is::resting) {
                const std::optional<std::string> request = next(i);
                if (!request) {
                    is[i] = Is::ended;
                } else if (request->empty()) {
                    resting = true;
                } else {
                    connections[i].begin(*request);
                    is[i] = Is::waiting;
                }
            }
            waiting = waiting || is[i] == Is::waiting;
            waited[i] = {is[i] == Is::waiting ? connections[i].fd() : -1, POLLIN, 0};
        }
        if (!waiting && !resting) return;
        poll(waited.data(), waited.size(), resting ? 1 : 1000);
        for (std::size_t i = 0; i < connections.size(); ++i) {
            if ((waited[i].revents & (POLLIN | POLLHUP)) == 0) continue;
            if (auto reply = connections[i].read_some()) {
                is[i] = Is::resting;
                answered(i, *std::move(reply));
            }
        }
    }
}

double Times::at(double share) {
    if (all_.empty()) return 0;
    if (!std::exchange(sorted_, true)) std::ranges::sort(all_);
    const auto index = static_cast<std::size_t>(share * static_cast<double>(all_.size()));
    return all_[std::min(index, all_.size() - 1)];
}

}  // namespace berth::bench
