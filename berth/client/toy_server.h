// ToyServer: a socket whose other side does what a test says, one connection after the other.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace berth {

class ToyServer {
public:
    // Called with each connection in turn; it is closed when the call returns.
    using Play = std::function<void(int fd, int connection)>;

    explicit ToyServer(Play play) : play_(std::move(play)) {
        char pattern[] = "/tmp/berth-client-XXXXXX";
        folder_ = ::mkdtemp(pattern);
        listen();
    }
    ~ToyServer() {
        stop();
        ::rmdir(folder_.c_str());
    }
    ToyServer(const ToyServer&) = delete;
    ToyServer& operator=(const ToyServer&) = delete;

    std::string path() const { return folder_ + "/sock"; }
    int connections() const { return connections_; }
    void stop() {
        if (!thread_.joinable()) return;
        ::shutdown(fd_, SHUT_RDWR);
        thread_.join();
        ::close(fd_);
        ::unlink(path().c_str());
    }
    void listen() {
        fd_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path().copy(address.sun_path, sizeof address.sun_path - 1);
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
        EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(::listen(fd_, 8), 0);
        thread_ = std::thread([this] {
            for (;;) {
                const int fd = ::accept(fd_, nullptr, nullptr);
                if (fd < 0) return;
                play_(fd, ++connections_);
                ::close(fd);
            }
        });
    }

    // Reads one request: its head and its body.
    static std::string read_request(int fd) {
        std::string text;
        char byte = 0;
        while (text.find("\r\n\r\n") == std::string::npos) {
            if (::recv(fd, &byte, 1, 0) != 1) return {};
            text += byte;
        }
        const std::size_t at = text.find("Content-Length: ");
        std::size_t rest = at == std::string::npos ? 0 : std::stoul(text.substr(at + 16));
        while (rest-- > 0 && ::recv(fd, &byte, 1, 0) == 1) text += byte;
        return text;
    }
    static void write(int fd, std::string_view text) {
        while (!text.empty()) {
            const ssize_t n = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
            if (n <= 0) return;
            text.remove_prefix(static_cast<std::size_t>(n));
        }
    }
    static void respond(int fd, int status, std::string_view body) {
        write(fd, "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " +
                      std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
    }

private:
    Play play_;
    std::string folder_;
    int fd_ = -1;
    std::atomic<int> connections_{0};
    std::thread thread_;
};

}  // namespace berth
