#include "berth/host/shepherd/step_pump.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "berth/host/os/file_io.h"
#include "berth/trust/here.h"

namespace berth {
namespace {

// Above this, a slow srun slows its tasks down, as a pipe does.
constexpr std::size_t kBufferMax = 256 * 1024;
// For input that arrives before srun has received the hold.
constexpr std::size_t kHeldInputMax = std::size_t{8} << 20;
constexpr std::size_t kToMpiMax = std::size_t{8} << 20;
constexpr int kConnectMs = 10'000;
// More than a pipe holds; remaining processes could fill it for ever.
constexpr std::size_t kDrainMax = 1 << 20;

constexpr char kEndOfTyping = 4;  // Ctrl-D: a terminal has no other end of input.

bool would_block() { return errno == EAGAIN || errno == EINTR; }

Status finish_connecting(int fd) {
    pollfd waiting{fd, POLLOUT, 0};
    if (::poll(&waiting, 1, kConnectMs) <= 0) return system_error("connect", ETIMEDOUT);
    int failed = 0;
    socklen_t size = sizeof failed;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size);
    return failed == 0 ? Status(Done{}) : system_error("connect", failed);
}

// Detects within a few minutes that a peer has vanished.
void keep_alive(int fd) {
    const auto set = [fd](int level, int option, int value) {
        ::setsockopt(fd, level, option, &value, sizeof value);
    };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
    set(IPPROTO_TCP, TCP_KEEPCNT, 4);
    set(IPPROTO_TCP, TCP_NODELAY, 1);
}

Result<UniqueFd> connect_one(const addrinfo& to) {
    UniqueFd fd(::socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return system_error("socket", errno);
    if (::connect(fd.get(), to.ai_addr, to.ai_addrlen) != 0) {
        if (errno != EINPROGRESS) return system_error("connect", errno);
        BERTH_CHECK(finish_connecting(fd.get()));
    }
    keep_alive(fd.get());
    return fd;
}

// `address` is "host:port" or "[::1]:port".
Result<UniqueFd> connect_to(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string::npos) {
        return Error{ErrorCode::invalid_argument, "\"" + address + "\" is not host:port"};
    }
    std::string host = address.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int wrong =
        ::getaddrinfo(host.c_str(), address.substr(colon + 1).c_str(), &hints, &found);
    if (wrong != 0) return Error{ErrorCode::unavailable, ::gai_strerror(wrong)};
    Result<UniqueFd> outcome = Error{ErrorCode::unavailable, "no address"};
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        outcome = connect_one(*one);
        if (outcome.ok()) break;
    }
    ::freeaddrinfo(found);
    return outcome;
}

}  // namespace

Status StepPump::secure_peer(const RunSpec& run) {
    auto secured = secure_ == nullptr
                       ? Error{ErrorCode::failed_precondition, "this program has no TLS"}
                       : secure_(peer_.get(), run.io_token);
    if (secured.ok()) {
        tls_ = std::move(secured).value();
        return Done{};
    }
    peer_.reset();
    return prefixed("cannot speak to srun at " + run.io_address, secured.error());
}

Status StepPump::connect(const RunSpec& run) {
    if (run.io_address.empty()) return Done{};
    auto connected = connect_to(run.io_address);
    if (!connected.ok()) {
        return prefixed("cannot reach srun at " + run.io_address, connected.error());
    }
    peer_ = std::move(connected).value();
    if (!is_from_here(peer_.get())) BERTH_CHECK(secure_peer(run));
    StepHello hello;
    hello.token = run.io_token;
    hello.node_index = run.node_index;
    for (const TaskSpec& task : run.tasks) hello.ranks.push_back(task.rank);
    queue(encode_hello(hello));
    return Done{};
}

// What is written to our end is what the user types; what is read there is what the user sees.
Status StepPump::add_terminal(const RunSpec& run, std::uint32_t rank, UniqueFd& their_end) {
    winsize size{};
    size.ws_row = static_cast<unsigned short>(run.window.rows);
    size.ws_col = static_cast<unsigned short>(run.window.columns);
    int ours = -1, theirs = -1;
    if (::openpty(&ours, &theirs, nullptr, nullptr, &size) != 0) {
        return system_error("cannot make a terminal", errno);
    }
    UniqueFd reading(ours);
    their_end.reset(theirs);
    UniqueFd writing(::fcntl(ours, F_DUPFD_CLOEXEC, 0));
    if (!writing) return system_error("cannot make a terminal", errno);
    ::fcntl(ours, F_SETFD, FD_CLOEXEC);
    ::fcntl(theirs, F_SETFD, FD_CLOEXEC);
    ::fcntl(ours, F_SETFL, O_RDWR | O_NONBLOCK);
    if (::geteuid() == 0 && ::fchown(theirs, run.uid, static_cast<gid_t>(-1)) != 0) {
        return system_error("cannot give the terminal to its user", errno);
    }
    Stream& screen = streams_.emplace_back();
    screen.rank = rank;
    screen.fd = std::move(reading);
    Stream& keyboard = streams_.emplace_back();
    keyboard.rank = rank;
    keyboard.kind = StepFrameKind::standard_in;
    keyboard.fd = std::move(writing);
    keyboard.terminal = true;
    keyboard.ending = !peer_;
    return Done{};
}

Result<TaskPipes> StepPump::add(const RunSpec& run, const TaskSpec& task) {
    TaskPipes theirs;
    if (task.out.kind == StreamKind::terminal) {
        BERTH_CHECK(add_terminal(run, task.rank, theirs.terminal));
        return theirs;
    }
    const auto join = [&](const StreamSpec& stream, StepFrameKind kind,
                          UniqueFd& their_end) -> Status {
        if (stream.kind != StreamKind::srun && stream.label.empty()) return Done{};
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("cannot make a pipe", errno);
        const bool input = kind == StepFrameKind::standard_in;
        their_end.reset(ends[input ? 0 : 1]);
        Stream& ours = streams_.emplace_back();
        ours.rank = task.rank;
        ours.kind = kind;
        ours.label = stream.label;
        ours.fd.reset(ends[input ? 1 : 0]);
        ours.ending = input && !peer_;
        ::fcntl(ours.fd.get(), F_SETFL, O_NONBLOCK);
        return Done{};
    };
    BERTH_CHECK(join(task.in, StepFrameKind::standard_in, theirs.in));
    BERTH_CHECK(join(task.out, StepFrameKind::standard_out, theirs.out));
    BERTH_CHECK(join(task.err, StepFrameKind::standard_error, theirs.err));
    return theirs;
}

void StepPump::label(std::uint32_t rank, LabelledFiles files) {
    for (Stream& stream : streams_) {
        if (stream.rank != rank || stream.label.empty()) continue;
        stream.file = std::move(stream.kind == StepFrameKind::standard_out ? files.out : files.err);
    }
}

bool StepPump::full() const { return outgoing_.size() - sent_ > kBufferMax; }

bool StepPump::input_over(std::size_t bytes) const {
    for (const Stream& stream : streams_) {
        if (stream.input.size() > bytes) return true;
    }
    return false;
}

// False while more input would only fill our memory.
bool StepPump::is_hearing() const {
    if (leaving_) return true;
    return !input_over(has_mpi_ ? kHeldInputMax : kBufferMax) && to_mpi_.size() <= kToMpiMax;
}

void StepPump::want(std::vector<pollfd>& waiting) const {
    short peer_events = is_hearing() ? POLLIN : 0;
    if (sent_ < outgoing_.size()) peer_events |= POLLOUT;
    waiting.push_back({peer_.get(), peer_events, 0});
    for (const Stream& stream : streams_) {
        pollfd one{stream.fd.get(), 0, 0};
        if (stream.kind == StepFrameKind::standard_in) {
            // poll reports a closed reader without being asked; only pending input must wait for
            // POLLOUT.
            if (!stream.input.empty() || stream.ending) {
                one.events = POLLOUT;
            } else {
                one.fd = -1;
            }
        } else if (full() && stream.label.empty()) {
            one.fd = -1;
        } else {
            one.events = POLLIN;
        }
        waiting.push_back(one);
    }
    const short heard = full() ? 0 : POLLIN, said = to_mpi_.empty() ? 0 : POLLOUT;
    waiting.push_back({mpi_.get(), static_cast<short>(heard | said), 0});
}

void StepPump::serve(const std::vector<pollfd>& waiting, std::size_t first) {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        Stream& stream = streams_[i];
        if (waiting[first + 1 + i].revents == 0 || !stream.fd) continue;
        if (stream.kind == StepFrameKind::standard_in) {
            write_input(stream);
        } else {
            read_output(stream);
        }
    }
    const pollfd& mpi = waiting[first + 1 + streams_.size()];
    if (mpi_ && (mpi.revents & POLLOUT) != 0) write_mpi();
    if (mpi_ && (mpi.revents & ~POLLOUT) != 0) read_mpi();
    if (waiting[first].revents != 0 && peer_) read_peer();
    tell_hold();
    write_peer();
}

void StepPump::read_output(Stream& stream) {
    char part[kStepFrameBytesMax];
    const ssize_t got = ::read(stream.fd.get(), part, sizeof part);
    if (got < 0 && would_block()) return;
    if (got <= 0) {
        stream.fd.reset();
        if (!stream.label.empty()) return end_line(stream);
        return queue(encode_frame(stream.kind, stream.rank, {}));
    }
    carried_ += static_cast<std::uint64_t>(got);
    if (!stream.label.empty()) return write_lines(stream, {part, static_cast<std::size_t>(got)});
    queue(encode_frame(stream.kind, stream.rank, {part, static_cast<std::size_t>(got)}));
}

void StepPump::write_lines(Stream& stream, std::string_view bytes) {
    std::string text;
    for (std::size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos;) {
        text.append(stream.label).append(std::exchange(stream.line, {}));
        text.append(bytes.substr(0, end + 1));
        bytes.remove_prefix(end + 1);
    }
    write_file(stream, text);
    stream.line += bytes;
    if (stream.line.size() > kStepFrameBytesMax) end_line(stream);  // Do not keep it all.
}

void StepPump::end_line(Stream& stream) {
    if (!stream.line.empty())
        write_file(stream, stream.label + std::exchange(stream.line, {}) + "\n");
}

// The rest is lost if the file cannot be written: a task must not block on it.
void StepPump::write_file(Stream& stream, std::string_view text) {
    if (!stream.file) return;
    const Status written = write_all(stream.file.get(), text);
    if (written.ok()) return;
    stream.file.reset();
    say(stream.rank, "slurmstepd: error: the output of task " + std::to_string(stream.rank) +
                         " is not all in its file: " + written.error().message + "\n");
}

void StepPump::write_input(Stream& stream) {
    if (!stream.input.empty()) {
        const ssize_t put = ::write(stream.fd.get(), stream.input.data(), stream.input.size());
        if (put < 0 && would_block()) return;
        if (put < 0) {  // The task has closed its input.
            stream.input.clear();
            stream.fd.reset();
            return;
        }
        stream.input.erase(0, static_cast<std::size_t>(put));
        carried_ += static_cast<std::uint64_t>(put);
    }
    if (stream.input.empty() && stream.ending) stream.fd.reset();
}

ssize_t StepPump::read_peer_bytes(char* to, std::size_t size) {
    return tls_ ? tls_->read(to, size) : ::read(peer_.get(), to, size);
}

ssize_t StepPump::write_peer_bytes(const char* from, std::size_t size) {
    return tls_ ? tls_->write(from, size) : ::send(peer_.get(), from, size, MSG_NOSIGNAL);
}

// poll(2) does not report bytes that TLS has already read from the socket.
void StepPump::read_peer() {
    do {
        if (!read_frames()) return;
    } while (peer_ && tls_ && tls_->has_more());
}

// Returns false if there is nothing more for now.
bool StepPump::read_frames() {
    char part[kStepFrameBytesMax];
    const ssize_t got = read_peer_bytes(part, sizeof part);
    if (got < 0 && would_block()) return false;
    if (got <= 0) return lose_peer(), false;
    if (leaving_) return true;
    frames_.add({part, static_cast<std::size_t>(got)});
    for (;;) {
        auto frame = frames_.next();
        if (!frame.ok()) return lose_peer(), false;
        if (!*frame) return true;
        take(**frame);
    }
}

void StepPump::resize(const StepFrame& frame) {
    const auto wanted = read_window(frame);
    if (!wanted.ok()) return lose_peer();
    winsize size{};
    size.ws_row = static_cast<unsigned short>(wanted->rows);
    size.ws_col = static_cast<unsigned short>(wanted->columns);
    for (const Stream& stream : streams_) {
        if (stream.terminal && stream.fd) ::ioctl(stream.fd.get(), TIOCSWINSZ, &size);
    }
}

void StepPump::take(const StepFrame& frame) {
    if (frame.kind == StepFrameKind::window_size) return resize(frame);
    if (frame.kind == StepFrameKind::exchange || frame.kind == StepFrameKind::to_node) {
        if (!mpi_) return;
        to_mpi_ += encode_frame(frame.kind, frame.task, frame.bytes);
        return write_mpi();
    }
    if (frame.kind != StepFrameKind::standard_in) return;
    for (Stream& stream : streams_) {
        if (stream.kind != StepFrameKind::standard_in || !stream.fd || stream.ending) continue;
        if (frame.task != kAllTasks && frame.task != stream.rank) continue;
        stream.input += frame.bytes;
        stream.ending = frame.bytes.empty();
        if (stream.ending && stream.terminal) stream.input += kEndOfTyping;
        write_input(stream);
    }
}

void StepPump::write_peer() {
    while (peer_ && sent_ < outgoing_.size()) {
        const ssize_t put = write_peer_bytes(outgoing_.data() + sent_, outgoing_.size() - sent_);
        if (put < 0 && would_block()) break;
        if (put < 0) return lose_peer();
        sent_ += static_cast<std::size_t>(put);
        carried_ += static_cast<std::uint64_t>(put);
    }
    if (sent_ == outgoing_.size() || sent_ > kBufferMax) {
        outgoing_.erase(0, sent_);
        sent_ = 0;
    }
}

void StepPump::lose_peer() {
    tls_.reset();
    peer_.reset();
    outgoing_.clear();
    sent_ = 0;
    for (Stream& stream : streams_) {
        if (stream.kind != StepFrameKind::standard_in) continue;
        stream.ending = true;  // Input that srun sent before still reaches the task.
    }
    // The other nodes cannot be reached any more: tasks are told, so that they do not wait for
    // ever.
    lose_mpi();
}

void StepPump::queue(std::string_view bytes) {
    if (peer_) outgoing_ += bytes;
}

void StepPump::task_ended(std::uint32_t rank, const ExitStatus& exit) {
    for (Stream& stream : streams_) {
        if (stream.rank != rank || stream.kind == StepFrameKind::standard_in) continue;
        const std::uint64_t until = carried_ + kDrainMax;
        for (std::uint64_t before = carried_ + 1; stream.fd && carried_ < until;) {
            if (before == carried_) break;
            before = carried_;
            read_output(stream);
        }
        end_line(stream);
    }
    if (mpi_ && mpi_ends_) {
        held_exits_ += encode_exit(rank, exit);
        return;
    }
    queue(encode_exit(rank, exit));
    write_peer();
}

void StepPump::say(std::uint32_t rank, std::string_view text) {
    queue(encode_frames(StepFrameKind::standard_error, rank, text));
}

bool StepPump::all_sent() const {
    for (const Stream& stream : streams_) {
        if (stream.kind != StepFrameKind::standard_in && stream.fd) return false;
    }
    return !mpi_ && sent_ == outgoing_.size();
}

void StepPump::leave() {
    if (!peer_ || leaving_ || !all_sent()) return;
    leaving_ = true;
    tls_.reset();  // Sends TLS's own farewell.
    ::shutdown(peer_.get(), SHUT_WR);
}

void StepPump::pass_on_for(UniqueFd mpi_server) {
    mpi_ = std::move(mpi_server);
    has_mpi_ = true;
}

void StepPump::end_mpi() {
    if (mpi_) ::shutdown(mpi_.get(), SHUT_WR);
    mpi_ends_ = true;
    to_mpi_.clear();
}

void StepPump::lose_mpi() {
    mpi_.reset();
    to_mpi_.clear();
    queue(std::exchange(held_exits_, {}));
    if (peer_) write_peer();
}

// The server runs as the user: only frames for the other nodes' servers are passed on.
void StepPump::read_mpi() {
    char part[kStepFrameBytesMax];
    const ssize_t got = ::read(mpi_.get(), part, sizeof part);
    if (got < 0 && would_block()) return;
    if (got <= 0) return lose_mpi();
    mpi_frames_.add({part, static_cast<std::size_t>(got)});
    for (;;) {
        const auto frame = mpi_frames_.next();
        if (!frame.ok()) return lose_mpi();
        if (!*frame) return;
        const StepFrame& one = **frame;
        const bool known = one.kind == StepFrameKind::exchange ||
                           one.kind == StepFrameKind::to_node || one.kind == StepFrameKind::abort;
        if (!known) return lose_mpi();
        queue(encode_frame(one.kind, one.task, one.bytes));
    }
}

void StepPump::write_mpi() {
    while (mpi_ && !to_mpi_.empty()) {
        const ssize_t put = ::send(mpi_.get(), to_mpi_.data(), to_mpi_.size(), MSG_NOSIGNAL);
        if (put < 0 && would_block()) return;
        if (put < 0) return to_mpi_.clear();  // Its end is noticed when we read.
        to_mpi_.erase(0, static_cast<std::size_t>(put));
    }
}

void StepPump::tell_hold() {
    if (!has_mpi_ || holding_ == input_over(holding_ ? 0 : kBufferMax)) return;
    holding_ = !holding_;
    queue(encode_hold(holding_));
}

}  // namespace berth
