// ServerRig: a real server on a real socket, with a controller and an archive that tests play.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "berth/api/json_value.h"
#include "berth/server/http/http_server.h"
#include "berth/server/service/played_archive.h"
#include "berth/server/snapshot/sample_cluster.h"

namespace berth {

// Says yes to everything, on the spot, unless told otherwise; remembers what it was asked.
class PlayedController : public CommandSink {
public:
    bool put(ClientInput input) override {
        const std::lock_guard lock(mutex);
        inputs.push_back(input);
        if (full) return false;
        if (!silent && server != nullptr) server->answer({input.reply_to, answer});
        return true;
    }
    std::size_t asked() {
        const std::lock_guard lock(mutex);
        return inputs.size();
    }
    ClientInput last() {
        const std::lock_guard lock(mutex);
        return inputs.back();
    }

    std::mutex mutex;
    std::vector<ClientInput> inputs;
    Answer answer = Done{};
    bool full = false, silent = false;
    HttpServer* server = nullptr;
};

struct Heard {
    int status = 0;
    std::string head, body;
    api::JsonValue json() const { return api::parse_json(body).value_or(api::JsonValue{}); }
    std::string text(std::string_view field) const {
        const api::JsonValue value = json();
        const api::JsonValue* const found = value.find(field);
        const auto* const string = found == nullptr ? nullptr : found->as<std::string>();
        return string == nullptr ? "" : *string;
    }
};

// One connection that sends any bytes, and reads responses.
class RawClient {
public:
    explicit RawClient(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
        connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }
    ~RawClient() { ::close(fd_); }
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    bool connected() const { return connected_; }
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
    }
    void send_no_more() { ::shutdown(fd_, SHUT_WR); }
    // What else comes, until the other side closes or falls silent.
    std::string rest(int patience_ms = 5000) {
        while (fill(patience_ms)) {
        }
        return std::exchange(buffer_, {});
    }
    bool closed_within(int patience_ms) {
        pollfd one{fd_, POLLIN, 0};
        char byte = 0;
        return ::poll(&one, 1, patience_ms) > 0 && ::recv(fd_, &byte, 1, MSG_PEEK) <= 0;
    }
    Heard read() {
        Heard heard;
        heard.head = until("\r\n\r\n");
        if (heard.head.size() > 12) heard.status = std::atoi(heard.head.c_str() + 9);
        if (heard.head.find("chunked") != std::string::npos) {
            for (;;) {
                const std::size_t size = std::strtoul(until("\r\n").c_str(), nullptr, 16);
                heard.body += exactly(size);
                until("\r\n");
                if (size == 0 || broken_) return heard;
            }
        }
        const std::size_t at = heard.head.find("Content-Length: ");
        if (at != std::string::npos)
            heard.body = exactly(std::strtoul(heard.head.c_str() + at + 16, nullptr, 10));
        return heard;
    }
    Heard call(std::string_view method, std::string_view target, std::string_view body = {}) {
        std::string request =
            std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n";
        if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
        (void)send(request + "\r\n" + std::string(body));
        return read();  // Who refuses early has answered, and closed.
    }

private:
    bool fill(int patience_ms = 10'000) {
        pollfd one{fd_, POLLIN, 0};
        char part[65536];
        if (::poll(&one, 1, patience_ms) <= 0) return false;
        const ssize_t n = ::recv(fd_, part, sizeof part, 0);
        if (n > 0) buffer_.append(part, static_cast<std::size_t>(n));
        return n > 0;
    }
    std::string until(std::string_view mark) {
        std::size_t at = 0;
        while ((at = buffer_.find(mark)) == std::string::npos) {
            if (!fill()) return broken_ = true, std::string();
        }
        return exactly(at + mark.size());
    }
    std::string exactly(std::size_t size) {
        while (buffer_.size() < size) {
            if (!fill()) return broken_ = true, std::string();
        }
        std::string part = buffer_.substr(0, size);
        buffer_.erase(0, size);
        return part;
    }

    int fd_;
    bool connected_ = false, broken_ = false;
    std::string buffer_;
};

// A server and all that it needs, in a folder of its own; the fuzzer of connections has one too.
struct PlayedServer {
    PlayedServer() {
        char pattern[] = "/tmp/berth-server-XXXXXX";
        folder = ::mkdtemp(pattern);
        options.socket = folder + "/berthd.sock";
        options.identity = {"0.1.0", "here", from_seconds(1), 42};
    }
    ~PlayedServer() {
        server.reset();
        ::rmdir(folder.c_str());
    }
    PlayedServer(const PlayedServer&) = delete;
    PlayedServer& operator=(const PlayedServer&) = delete;
    Status open() {
        (void)cluster.publish(read_model);
        auto started = HttpServer::start(options, controller, read_model, archive, log);
        if (!started.ok()) return started.error();
        server = *std::move(started);
        controller.server = server.get();
        return Done{};
    }

    std::string folder;
    HttpServerOptions options;
    SampleCluster cluster;
    ReadModel read_model;
    PlayedController controller;
    PlayedArchive archive;
    SilentLog log;
    std::unique_ptr<HttpServer> server;
};

class ServerRig : public ::testing::Test, protected PlayedServer {
protected:
    void start() {
        const Status opened = open();
        ASSERT_TRUE(opened.ok()) << opened.error().message;
    }
    Heard call(std::string_view method, std::string_view target, std::string_view body = {}) {
        RawClient client(options.socket);
        return client.call(method, target, body);
    }
};

}  // namespace berth
