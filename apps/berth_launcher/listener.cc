#include "apps/berth_launcher/listener.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "apps/daemon/single_instance.h"
#include "berth/host/os/process_limit.h"
#include "berth/host/os/unique_fd.h"
#include "berth/trust/unix_socket.h"

namespace berth {
namespace {

Error failed(const std::string& path, const char* doing) {
    return {ErrorCode::internal, path + ": " + doing + ": " + std::strerror(errno)};
}

volatile std::sig_atomic_t told_to_stop = 0;
void note_stop(int) { told_to_stop = 1; }

// Ends the child of a previous agent: that agent has gone or reconnected, or we are stopping. What
// it has sent is still carried out, which takes a moment at most.
void end(pid_t& child) {
    constexpr int kTries = 500;
    constexpr useconds_t kPause = 10'000;
    if (child <= 0) return;
    ::kill(child, SIGTERM);
    for (int i = 0; i < kTries; ++i) {
        const pid_t ended = ::waitpid(child, nullptr, WNOHANG);
        if (ended == child) child = 0;
        if (child == 0) return;
        ::usleep(kPause);
    }
    ::kill(child, SIGKILL);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    child = 0;
}

constexpr useconds_t kForkPause = 100'000;

// Waits for an agent; false: a signal asked us to stop.
bool wait_for_agent(int listener) {
    sigset_t stops, before;
    sigemptyset(&stops);
    for (const int number : {SIGTERM, SIGINT}) sigaddset(&stops, number);
    ::sigprocmask(SIG_BLOCK, &stops, &before);
    pollfd waited{listener, POLLIN, 0};
    if (told_to_stop == 0) ::ppoll(&waited, 1, nullptr, &before);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return told_to_stop == 0;
}

bool may_come(const ListenerSettings& settings, int socket, LogSink& log) {
    const Result<std::uint32_t> uid = peer_uid(socket);
    if (uid.ok() && (*uid == 0 || *uid == ::geteuid() || settings.agent_uid == *uid)) return true;
    log.write(LogLevel::warning, "launcher",
              uid.ok() ? "refused: uid " + std::to_string(*uid) + " is not the agent"
                       : uid.error().message);
    return false;
}

}  // namespace

Status listen_for_agents(const ListenerSettings& settings, LogSink& log,
                         const std::function<int(int socket)>& serve) {
    // Connecting to test for a live launcher, as listen_on() does, would drop that launcher's
    // agent.
    BERTH_TRY(const FileLock lock,
              FileLock::take(settings.path + ".lock", settings.path, "berth-launcher"));
    const Result<int> listening = listen_on(settings.path);
    if (!listening.ok()) return listening.error();
    const UniqueFd listener(*listening);
    if (settings.agent_uid &&
        ::chown(settings.path.c_str(), *settings.agent_uid, static_cast<gid_t>(-1)) != 0)
        return failed(settings.path, "cannot give it to the agent's user");
    const pid_t self = ::getpid();
    pid_t child = 0;
    for (const int number : {SIGTERM, SIGINT}) ::signal(number, note_stop);
    while (wait_for_agent(listener.get())) {
        UniqueFd socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!socket || !may_come(settings, socket.get(), log)) continue;
        end(child);
        child = ::fork();
        if (child < 0) {  // The agent will connect again.
            log.write(LogLevel::error, "launcher",
                      process_error("cannot start a process for the agent", errno).message);
            ::usleep(kForkPause);
        }
        if (child != 0) continue;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != self) ::_exit(0);  // The parent died before the prctl() took effect.
        ::_exit(serve(socket.get()));
    }
    end(child);
    ::unlink(settings.path.c_str());
    return Done{};
}

Status only_ours(const std::string& path) {
    for (std::filesystem::path at = std::filesystem::absolute(path);; at = at.parent_path()) {
        struct stat found{};
        if (::stat(at.c_str(), &found) != 0) return failed(at, "cannot look at it");
        const bool ours = found.st_uid == 0 || found.st_uid == ::geteuid();
        const bool shared = (found.st_mode & 022) != 0 && (found.st_mode & S_ISVTX) == 0;
        if (!ours || shared) {
            return Error{ErrorCode::permission_denied,
                         at.string() +
                             " can be changed by users other than root: what lies in it "
                             "could be exchanged"};
        }
        if (at == at.root_path()) return Done{};
    }
}

}  // namespace berth
