#include "berth/slurm/step/step_listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "berth/base/text.h"
#include "berth/slurm/step/step_attachment.h"
#include "berth/trust/here.h"
#include "berth/trust/tls.h"

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kConnectionsMax = 4096;
constexpr std::size_t kUnsentMax = std::size_t{4} << 20;
constexpr auto kTick = 1s;
constexpr auto kAskLeaving = 250ms;
constexpr auto kFarewell = 2s;
constexpr auto kGreetWithin = 30s;  // A shepherd greets at once; a stranger need not.

Error system_error(const char* what) {
    return {ErrorCode::unavailable, std::string(what) + ": " + std::strerror(errno)};
}

std::string random_token() {
    std::array<unsigned char, 16> bytes{};
    for (std::size_t got = 0; got < bytes.size();) {
        const ssize_t n = getrandom(bytes.data() + got, bytes.size() - got, 0);
        if (n > 0) got += static_cast<std::size_t>(n);
    }
    std::string token;
    for (const unsigned char byte : bytes)
        token += "0123456789abcdef"[byte >> 4], token += "0123456789abcdef"[byte & 15];
    return token;
}

}  // namespace

// One node's shepherd. It is done when all tasks that it named in its hello have ended.
struct StepConnection {
    int fd = -1;
    StepFrameReader reader;
    std::optional<TlsStream> tls;
    std::size_t tasks = 0, ended = 0;
    std::uint32_t node = 0;  // Its index within the step.
    bool greeted = false, done = false;
    bool holds_input = false;  // Its tasks are behind.
    bool attached = false;     // No shepherd, but one who looks on: sattach.
    std::string unsent;        // For such a one.
    Clock::time_point since = Clock::now();

    bool is_shepherd() const { return greeted && !attached; }
    ssize_t read(char* to, std::size_t size) {
        return tls ? tls->read(to, size) : ::read(fd, to, size);
    }
    // For one who looks on: what cannot go now goes later. False: it takes too little, or is gone.
    bool send_some(std::string_view bytes) {
        unsent += bytes;
        while (!unsent.empty()) {
            const ssize_t n = tls ? tls->write(unsent.data(), unsent.size())
                                  : ::send(fd, unsent.data(), unsent.size(), MSG_NOSIGNAL);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0 && errno == EAGAIN) return unsent.size() <= kUnsentMax;
            if (n <= 0) return false;
            unsent.erase(0, static_cast<std::size_t>(n));
        }
        return true;
    }
    // The shepherd may be gone; its end is seen when we read.
    void send_all(const std::string& bytes) {
        for (std::size_t sent = 0; sent < bytes.size();) {
            const char* const from = bytes.data() + sent;
            const std::size_t size = bytes.size() - sent;
            const ssize_t n = tls ? tls->write(from, size) : ::send(fd, from, size, MSG_NOSIGNAL);
            if (n > 0) sent += static_cast<std::size_t>(n);
            if (n > 0 || (n < 0 && errno == EINTR)) continue;
            pollfd full{fd, POLLOUT, 0};
            if (n == 0 || errno != EAGAIN || ::poll(&full, 1, kSendMilliseconds) <= 0) return;
        }
    }
};

struct StepListener::State {
    int listener = -1, signals = -1;
    std::string address, token;
    std::vector<StepConnection> connections;
    std::size_t nodes = 0, nodes_come = 0, nodes_done = 0;
    std::set<std::uint32_t> come;
    std::string early;  // What was typed, by who looks on, before all nodes were there.
    std::string ends;   // The frames of tasks that have ended, for who comes later.
    bool stdin_open = false;
    Clock::time_point deaf_until;  // Nobody is let in before: there is no room.

    ~State() {
        for (StepConnection& connection : connections) drop(connection);
        if (listener >= 0) close(listener);
        if (signals >= 0) close(signals);
    }

    void accept_one() {
        const bool is_full = connections.size() >= kConnectionsMax;
        if (is_full && !drop_a_stranger()) return pause_accepting();
        const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) {
            // Who waits goes on waiting, so that poll() would tell of it again and again.
            const bool no_descriptors = errno == EMFILE || errno == ENFILE;
            if (no_descriptors && !drop_a_stranger()) pause_accepting();
            return;
        }
        StepConnection& one = connections.emplace_back();
        one.fd = fd;
        if (!is_from_here(fd)) one.tls = TlsStream::accept_while_reading(fd, token);
    }
    void pause_accepting() { deaf_until = Clock::now() + kTick; }
    // The one that has waited longest without a greeting. False: all have greeted.
    bool drop_a_stranger() {
        const auto oldest = std::ranges::find(connections, false, &StepConnection::greeted);
        if (oldest == connections.end()) return false;
        drop(*oldest);
        connections.erase(oldest);
        return true;
    }
    void drop_silent_strangers() {
        const auto latest = Clock::now() - kGreetWithin;
        std::erase_if(connections, [&](StepConnection& one) {
            const bool silent = !one.greeted && one.since <= latest;
            if (silent) drop(one);
            return silent;
        });
    }
    static void drop(StepConnection& connection) {
        connection.tls.reset();
        close(connection.fd);
    }
    void broadcast(std::string_view bytes) {
        send_to_all(encode_frames(StepFrameKind::standard_in, kAllTasks, bytes));
    }
    void send_to_all(const std::string& frames) {
        for (StepConnection& connection : connections) {
            if (connection.is_shepherd() && !connection.done) connection.send_all(frames);
        }
    }

    void read_stdin() {
        std::array<char, kStepFrameBytesMax> bytes{};
        const ssize_t n = read(STDIN_FILENO, bytes.data(), bytes.size());
        stdin_open = n > 0;
        broadcast(
            {bytes.data(), n > 0 ? static_cast<std::size_t>(n) : 0});  // None: the end of input.
    }

    bool greet(StepConnection& connection, const StepFrame& frame) {
        const auto hello = read_hello(frame, token);
        if (!hello.ok()) return false;
        connection.greeted = true;
        if (hello.value().node_index == kAttached) {
            connection.attached = true;
            ::fcntl(connection.fd, F_SETFL, O_RDWR | O_NONBLOCK);
            return connection.send_some(ends);
        }
        connection.tasks = hello.value().ranks.size();
        connection.node = hello.value().node_index;
        if (!stdin_open)
            connection.send_all(encode_frames(StepFrameKind::standard_in, kAllTasks, {}));
        ++nodes_come;
        come.insert(connection.node);
        if (are_all_here()) send_to_all(std::exchange(early, {}));
        return true;
    }

    // What it types. The end of that is not the end of the tasks' input: srun may have more.
    void take_from_attached(const StepFrame& frame) {
        if (frame.kind != StepFrameKind::standard_in || frame.bytes.empty()) return;
        const std::string bytes = encode_frame(frame.kind, frame.task, frame.bytes);
        if (are_all_here()) {
            send_to_all(bytes);
        } else {
            early += bytes;
        }
    }
    bool are_all_here() const { return nodes_come >= nodes; }
    // One that takes too little is dropped where it is read, which is from the back.
    void show_to_attached(const StepFrame& frame) {
        const bool is_end = frame.kind == StepFrameKind::task_exit;
        const bool is_output = frame.kind == StepFrameKind::standard_out ||
                               frame.kind == StepFrameKind::standard_error;
        if (!is_end && !is_output) return;
        const std::string bytes = encode_frame(frame.kind, frame.task, frame.bytes);
        if (is_end) ends += bytes;
        for (StepConnection& one : connections) {
            if (one.attached && !one.send_some(bytes)) ::shutdown(one.fd, SHUT_RDWR);
        }
    }
    // What they have not yet taken, for a moment, before srun goes.
    void finish_attached() {
        const auto until = Clock::now() + kFarewell;
        for (StepConnection& one : connections) {
            while (one.attached && !one.unsent.empty() && Clock::now() < until) {
                pollfd full{one.fd, POLLOUT, 0};
                if (::poll(&full, 1, 100) < 0 || !one.send_some({})) break;
            }
        }
    }

    // False: the connection is to be closed. What TLS has taken from the socket already, poll()
    // would not tell of again.
    bool read_connection(StepConnection& connection, const Events& events) {
        do {
            if (!read_frames(connection, events)) return false;
        } while (connection.tls && connection.tls->has_more());
        return true;
    }

    bool read_frames(StepConnection& connection, const Events& events) {
        std::array<char, 65536> bytes{};
        const ssize_t n = connection.read(bytes.data(), bytes.size());
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
        if (n <= 0) return false;
        connection.reader.add({bytes.data(), static_cast<std::size_t>(n)});
        for (;;) {
            const auto frame = connection.reader.next();
            if (!frame.ok()) return false;
            if (!frame.value()) return true;
            if (!connection.greeted) {
                if (!greet(connection, *frame.value())) return false;
                continue;
            }
            if (frame.value()->kind == StepFrameKind::input_hold) {
                connection.holds_input = frame.value()->bytes != std::string(1, '\0');
                continue;
            }
            if (connection.attached) {
                take_from_attached(*frame.value());
                continue;
            }
            show_to_attached(*frame.value());
            events.frame(*frame.value(), connection.node);
            if (frame.value()->kind == StepFrameKind::task_exit &&
                ++connection.ended == connection.tasks) {
                connection.done = true;
                ++nodes_done;
            }
        }
    }

    bool takes_input() const {
        return stdin_open && std::ranges::find(connections, true, &StepConnection::holds_input) ==
                                 connections.end();
    }
    std::vector<pollfd> polled() const {
        const bool listens = Clock::now() >= deaf_until;
        std::vector<pollfd> fds = {{listens ? listener : -1, POLLIN, 0},
                                   {signals, POLLIN, 0},
                                   {takes_input() ? STDIN_FILENO : -1, POLLIN, 0}};
        for (const StepConnection& connection : connections) {
            // What is typed before all nodes are there has to wait somewhere: best where it is.
            short wanted = connection.attached && !are_all_here() ? 0 : POLLIN;
            if (!connection.unsent.empty()) wanted |= POLLOUT;
            fds.push_back({connection.fd, wanted, 0});
        }
        return fds;
    }

    // What poll() has told of.
    void take(const std::vector<pollfd>& fds, const Events& events) {
        if (fds[1].revents != 0) {
            signalfd_siginfo came{};
            if (read(signals, &came, sizeof came) == sizeof came)
                events.signal(static_cast<int>(came.ssi_signo));
        }
        if (fds[2].revents != 0) read_stdin();
        read_connections(fds, events);
        if (fds[0].revents != 0) accept_one();
    }

    void read_connections(const std::vector<pollfd>& fds, const Events& events) {
        const std::size_t known = fds.size() - 3;
        for (std::size_t i = known; i-- > 0;) {
            if (fds[i + 3].revents == 0) continue;
            const bool takes = !connections[i].attached || connections[i].send_some({});
            if (takes && read_connection(connections[i], events)) continue;
            drop(connections[i]);
            // A shepherd that went without a word: its node is done, its tasks did not say how.
            if (connections[i].is_shepherd() && !connections[i].done) ++nodes_done;
            connections.erase(connections.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
};

StepListener::StepListener(std::unique_ptr<State> state) : state_(std::move(state)) {}
StepListener::StepListener(StepListener&&) noexcept = default;
StepListener& StepListener::operator=(StepListener&&) noexcept = default;
StepListener::~StepListener() = default;
const std::string& StepListener::address() const { return state_->address; }
const std::string& StepListener::token() const { return state_->token; }

namespace {

// A listening socket and its port; -1, and errno says why.
struct Listening {
    int fd = -1;
    std::uint16_t port = 0;
};

template <class Address>
Listening listen_at(Address address, in_port_t Address::* port) {
    const int fd =
        socket(reinterpret_cast<const sockaddr&>(address).sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return {};
    const int no = 0;
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);  // Of IPv4 it is not meant.
    socklen_t size = sizeof address;
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    if (bind(fd, general, size) == 0 && listen(fd, 1024) == 0 &&
        getsockname(fd, general, &size) == 0) {
        return {fd, ntohs(address.*port)};
    }
    const int why = errno;
    close(fd);
    errno = why;
    return {};
}

Listening listen_v4(in_addr_t where) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(where);
    return listen_at(at, &sockaddr_in::sin_port);
}

// One connection for each node, and more nodes than the 1024 that shells allow.
void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

// Both kinds of addresses, where the kernel knows both.
Listening listen_everywhere() {
    sockaddr_in6 at{};
    at.sin6_family = AF_INET6;
    at.sin6_addr = in6addr_any;
    const Listening both = listen_at(at, &sockaddr_in6::sin6_port);
    return both.fd >= 0 ? both : listen_v4(INADDR_ANY);
}

}  // namespace

Result<StepListener> StepListener::open(const std::string& host) {
    raise_descriptor_limit();
    const Listening listening = host.empty() ? listen_v4(INADDR_LOOPBACK) : listen_everywhere();
    if (listening.fd < 0) return system_error("cannot listen for the step's output");
    auto state = std::make_unique<State>();
    state->listener = listening.fd;
    const bool v6 = host.find(':') != std::string::npos && !host.starts_with('[');
    const std::string at = host.empty() ? "127.0.0.1" : v6 ? "[" + host + "]" : host;
    state->address = at + ":" + std::to_string(listening.port);
    state->token = random_token();
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH})
        sigaddset(&wanted, signal);
    sigprocmask(SIG_BLOCK, &wanted, nullptr);
    state->signals = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    return StepListener(std::move(state));
}

bool StepListener::is_found_at(std::string_view host) {
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    std::string text(host.substr(0, host.find('%')));
    if (starts_with_icase(text, "::ffff:")) text = text.substr(7);
    in6_addr v6{};
    if (inet_pton(AF_INET6, text.c_str(), &v6) == 1)
        return !IN6_IS_ADDR_LOOPBACK(&v6) && !IN6_IS_ADDR_LINKLOCAL(&v6);
    return !text.empty() && text != "localhost" && !text.starts_with("127.");
}

void StepListener::send_to(std::uint32_t node, const std::string& frames) {
    for (StepConnection& one : state_->connections) {
        if (one.is_shepherd() && one.node == node) one.send_all(frames);
    }
}

void StepListener::tell_window(const TerminalSize& size) {
    state_->send_to_all(encode_window(size));
}

bool StepListener::run(std::size_t nodes, bool read_stdin, const Events& events) {
    State& state = *state_;
    state.stdin_open = read_stdin;
    state.nodes = nodes;
    bool silent = true;  // Since the last tick.
    for (auto tick = Clock::now() + kTick; state.nodes_done < nodes;) {
        std::vector<pollfd> fds = state.polled();
        if (!state.are_all_here()) fds[2].fd = -1;  // So that no node misses the beginning.
        auto rest = std::chrono::ceil<std::chrono::milliseconds>(tick - Clock::now());
        if (events.leaves) rest = std::min<std::chrono::milliseconds>(rest, kAskLeaving);
        const int ready =
            poll(fds.data(), fds.size(), static_cast<int>(std::max<std::int64_t>(0, rest.count())));
        if (ready > 0) {
            silent = false;
            state.take(fds, events);
        }
        if (events.leaves && events.leaves()) return false;
        if (Clock::now() < tick) continue;
        tick = Clock::now() + kTick;
        state.drop_silent_strangers();
        events.tick();
        if (std::exchange(silent, true) && !events.idle()) return false;
    }
    state.finish_attached();
    return true;
}

std::vector<std::uint32_t> StepListener::not_come() const {
    std::vector<std::uint32_t> missing;
    for (std::uint32_t node = 0; node < state_->nodes; ++node) {
        if (!state_->come.contains(node)) missing.push_back(node);
    }
    return missing;
}

std::vector<std::uint32_t> StepListener::connected() const {
    std::vector<std::uint32_t> nodes;
    for (const StepConnection& one : state_->connections) {
        if (one.is_shepherd() && !one.done) nodes.push_back(one.node);
    }
    return nodes;
}

}  // namespace berth::slurm
