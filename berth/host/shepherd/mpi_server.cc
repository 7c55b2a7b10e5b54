#include "berth/host/shepherd/mpi_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "berth/base/codec.h"
#include "berth/host/os/file_io.h"
#include "berth/model/step_io.h"

namespace berth {
namespace {

constexpr int kReadyMs = 30'000;

struct Pair {
    UniqueFd ours, theirs;
};

Result<Pair> socket_pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return system_error("cannot make a socket pair", errno);
    }
    return Pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Opens the server's program, which lies beside this one, as ourselves and runs it by descriptor,
// since users may not be able to reach its folder. The descriptor's number lies above those that
// the program inherits.
Result<UniqueFd> open_program(const std::string& kind, std::size_t handed) {
    std::error_code failed;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
    const std::string path = folder / (kind == kPmix ? "berth-pmix" : "berth-pmi");
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        return Error{ErrorCode::failed_precondition,
                     "this node cannot run steps with --mpi=" + kind + ": " +
                         system_error("it has no " + path, errno).message};
    }
    UniqueFd high(::fcntl(file.get(), F_DUPFD_CLOEXEC, kMpiLinkFd + static_cast<int>(handed) + 1));
    if (!high) return system_error("cannot open " + path, errno);
    return high;
}

// The server gets the variables that configure PMIx from the user's environment, and none that
// could change which code it loads.
std::vector<std::string> environment_of(const RunSpec& run) {
    std::vector<std::string> environment = {"PATH=/usr/bin:/bin"};
    for (const std::string& setting : run.environment) {
        const bool wanted = setting.starts_with("PMIX_MCA_") || setting.starts_with("HOME=") ||
                            setting.starts_with("USER=") || setting.starts_with("TMPDIR=");
        if (wanted) environment.push_back(setting);
    }
    return environment;
}

Result<StepFrame> next_frame(int link) {
    StepFrameReader reader;
    for (;;) {
        BERTH_TRY(std::optional<StepFrame> frame, reader.next());
        if (frame) return std::move(*frame);
        pollfd waiting{link, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, kReadyMs);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return Error{ErrorCode::unavailable, "it says nothing"};
        char bytes[kStepFrameBytesMax];
        const ssize_t got = ::read(link, bytes, sizeof bytes);
        if (got <= 0) return Error{ErrorCode::unavailable, "it has ended"};
        reader.add({bytes, static_cast<std::size_t>(got)});
    }
}

Status greet(const RunSpec& run, MpiServer& server) {
    const std::string step = encode(run.mpi);
    if (step.size() > kStepFrameBytesMax) {
        return Error{ErrorCode::invalid_argument, "the step has too many tasks for it"};
    }
    BERTH_CHECK(write_all(server.link.get(), encode_frame(StepFrameKind::mpi_step, 0, step)));
    BERTH_TRY(const StepFrame frame, next_frame(server.link.get()));
    if (frame.kind != StepFrameKind::mpi_ready) {
        return Error{ErrorCode::internal, "it says something else"};
    }
    BERTH_TRY(MpiReady ready, decode<MpiReady>(frame.bytes, kMessageRoom));
    if (!ready.failure.empty()) return Error{ErrorCode::failed_precondition, ready.failure};
    if (ready.environment.size() != run.tasks.size()) {
        return Error{ErrorCode::internal, "it knows other tasks"};
    }
    server.environment = std::move(ready.environment);
    return Done{};
}

}  // namespace

Result<MpiServer> start_mpi_server(const RunSpec& run) {
    if (run.io_address.empty()) {
        return Error{ErrorCode::failed_precondition, "--mpi needs an srun that listens"};
    }
    MpiServer server;
    TaskPipes handed;
    BERTH_TRY(Pair link, socket_pair());
    server.link = std::move(link.ours);
    handed.kept.push_back(std::move(link.theirs));
    for (std::size_t i = 0; run.mpi.kind == kPmi2 && i < run.tasks.size(); ++i) {
        BERTH_TRY(Pair pair, socket_pair());
        server.tasks.push_back(std::move(pair.theirs));
        handed.kept.push_back(std::move(pair.ours));
    }
    BERTH_TRY(const UniqueFd program, open_program(run.mpi.kind, handed.kept.size()));
    RunSpec as_user = run;
    as_user.arguments = {"/proc/self/fd/" + std::to_string(program.get())};
    as_user.environment = environment_of(run);
    as_user.work_dir = "/";
    as_user.task_prolog.clear();
    as_user.own_task_prolog.clear();
    BERTH_TRY(server.process, start_task(as_user, TaskSpec{}, std::move(handed)));
    BERTH_CHECK(wait_until_ready(server.process));
    let_go(server.process);
    if (Status greeted = greet(run, server); !greeted.ok()) {
        return prefixed("the server for --mpi=" + run.mpi.kind, greeted.error());
    }
    ::fcntl(server.link.get(), F_SETFL, O_RDWR | O_NONBLOCK);
    return server;
}

}  // namespace berth
