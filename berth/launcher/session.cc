#include "berth/launcher/session.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "berth/base/assert.h"
#include "berth/base/codec.h"

namespace berth {
namespace {

Error broken(const char* doing) {
    return {ErrorCode::unavailable,
            std::string("the agent's socket: ") + doing + ": " + std::strerror(errno)};
}

// Above this many unsent bytes the agent's own messages are not read either.
constexpr std::size_t kUnreadMax = 4 << 20;

bool is_for_later() { return errno == EAGAIN || errno == EINTR; }

// A refusal concerns the agent's request. Any other error comes from the ledger: memory and disk
// may differ now, so the next process must read it again.
bool is_refusal(const Error& error) {
    return error.code == ErrorCode::permission_denied || error.code == ErrorCode::not_found ||
           error.code == ErrorCode::already_exists || error.code == ErrorCode::failed_precondition;
}

NotBegun fault_of(const Error& refusal) {
    if (refusal.code == ErrorCode::already_exists) return NotBegun::unknown;
    return refusal.code == ErrorCode::failed_precondition ? NotBegun::for_job : NotBegun::for_node;
}

// The answer to an action that was not carried out; nullopt: it needs none.
struct Answer {
    const std::string& why;
    NotBegun not_begun;
    using Event = std::optional<AgentEvent>;
    Event operator()(const StartAttempt& start) const {
        const LaunchAttempt& launch = start.launch;
        const StepId run = launch.batch_host ? kBatchStep : kExternStep;
        return RunFailedToStart{{launch.job, launch.attempt, run}, why, not_begun};
    }
    Event operator()(const StartStep& start) const {
        const LaunchStep& launch = start.launch;
        return RunFailedToStart{{launch.job, launch.attempt, launch.step}, why, not_begun};
    }
    Event operator()(const StartHook& start) const {
        return RunFailedToStart{start.run, "did not start: " + why, not_begun};
    }
    Event operator()(const StartNodeProgram& start) const {
        return NodeProgramExited{start.program.program, why};
    }
    Event operator()(const auto&) const { return std::nullopt; }
};

// What --verbose tells of an action: what is started, for whom. Empty: nothing.
struct Told {
    std::string operator()(const StartAttempt& start) const {
        return of(start.launch.job, start.launch.attempt, start.launch.owner.uid);
    }
    std::string operator()(const StartStep& start) const {
        return "step " + to_string(start.launch.step) + " of " +
               of(start.launch.job, start.launch.attempt, start.attempt.owner.uid);
    }
    std::string operator()(const StartHook& start) const {
        return "a hook of " + of(start.run.job, start.run.attempt, 0);
    }
    std::string operator()(const StartNodeProgram&) const { return "a program of the site"; }
    std::string operator()(const auto&) const { return {}; }

    static std::string of(JobId job, Attempt attempt, std::uint32_t uid) {
        return "job " + to_string(job) + ", attempt " + to_string(attempt) + ", as uid " +
               std::to_string(uid);
    }
};

}  // namespace

LauncherSession::LauncherSession(int socket, LauncherPorts ports, LogSink& log)
    : socket_(socket),
      ports_(std::move(ports)),
      log_(log),
      pushed_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    BERTH_ASSERT(pushed_ >= 0);
}

LauncherSession::~LauncherSession() { ::close(pushed_); }

void LauncherSession::push(AgentEvent event) {
    {
        const std::lock_guard lock(mutex_);
        from_threads_.push_back(std::move(event));
    }
    const std::uint64_t one = 1;
    (void)!::write(pushed_, &one, sizeof one);
}

void LauncherSession::stop() {
    stopping_ = true;
    const std::uint64_t one = 1;
    (void)!::write(pushed_, &one, sizeof one);
}

void LauncherSession::take_pushed() {
    std::uint64_t count = 0;
    (void)!::read(pushed_, &count, sizeof count);
    const std::lock_guard lock(mutex_);
    for (const AgentEvent& event : from_threads_) tell(event);
    from_threads_.clear();
}

Status LauncherSession::run(const Greeting& greeting) {
    out_ += framed(encode(greeting));
    while (!gone_) {
        // Checked first: what has arrived by then is still read below.
        const bool last = stopping_;
        if (!last) BERTH_CHECK(wait());
        if (Status heard = read(); !heard.ok()) {
            // Tells the agent why; otherwise it would send the same to the next launcher.
            (void)write();
            return heard;
        }
        take_pushed();
        for (const AgentEvent& event : ports_.take_events()) tell(event);
        BERTH_CHECK(write());
        if (last) break;
    }
    return Done{};
}

Status LauncherSession::wait() {
    const short wanted =
        static_cast<short>((is_unread() ? 0 : POLLIN) | (out_.empty() ? 0 : POLLOUT));
    const int at_most = held_back_ && !is_unread() ? 0 : -1;
    std::array<pollfd, 3> waiting{
        {{socket_, wanted, 0}, {ports_.node_events, POLLIN, 0}, {pushed_, POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), at_most) < 0 && errno != EINTR)
        return broken("poll");
    return Done{};
}

bool LauncherSession::is_unread() const { return out_.size() > kUnreadMax; }

// Reads everything that has arrived.
Status LauncherSession::read() {
    std::array<char, 64 * 1024> room{};
    for (;;) {
        BERTH_CHECK(obey_all());
        if (held_back_) return Done{};
        const ssize_t got = ::recv(socket_, room.data(), room.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return Done{};
        if (got < 0 && errno != ECONNRESET) return broken("read");
        if (got <= 0) {
            gone_ = true;
            return Done{};
        }
        frames_.add({room.data(), static_cast<std::size_t>(got)});
    }
}

Status LauncherSession::obey_all() {
    for (;;) {
        held_back_ = is_unread();
        if (held_back_) return Done{};
        BERTH_TRY(const std::optional<std::string> frame, frames_.next());
        if (!frame) return Done{};
        BERTH_CHECK(obey(*frame));
    }
}

Status LauncherSession::obey(const std::string& frame) {
    BERTH_TRY(const HostAction asked, decode<HostAction>(frame, kMessageRoom));
    Result<HostAction> action = ports_.gate.admit(asked, ports_.now());
    if (const std::string told = std::visit(Told(), asked); !told.empty() && action.ok())
        log_.write(LogLevel::debug, "launcher", "starts " + told);
    if (!action.ok()) {
        refuse(asked, action.error());
        if (!is_refusal(action.error())) return prefixed("the ledger", action.error());
    } else if (const auto* const start = std::get_if<StartNodeProgram>(&*action)) {
        ports_.start_program(start->program);
    } else if (auto* const setup = std::get_if<ConfigureNode>(&*action)) {
        return configure(std::move(*setup));
    } else {
        ports_.node.act(std::move(action).value());
    }
    return Done{};
}

Status LauncherSession::configure(ConfigureNode action) {
    Status kept = ports_.keep_keys(action.setup.launch_keys);
    if (!kept.ok()) return prefixed("the controller's keys", kept.error());
    out_ += framed(encode(LauncherEvent(KeysKnown{ports_.gate.keys().ids()})));
    ports_.node.act(std::move(action));
    return Done{};
}

void LauncherSession::refuse(const HostAction& asked, const Error& why) {
    log_.write(LogLevel::warning, "launcher", "refused: " + why.message);
    const std::string text = "the launcher refuses: " + why.message;
    const Answer answer{text, fault_of(why)};
    if (const auto event = std::visit(answer, asked)) tell(*event);
}

void LauncherSession::tell(const AgentEvent& event) {
    if (const auto one = launcher_event(event)) out_ += framed(encode(*one));
}

Status LauncherSession::write() {
    if (out_.empty()) return Done{};
    const ssize_t put = ::send(socket_, out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put > 0) out_.erase(0, static_cast<std::size_t>(put));
    if (put >= 0 || is_for_later()) return Done{};
    gone_ = true;  // The next agent finds what this one was not told.
    return Done{};
}

}  // namespace berth
