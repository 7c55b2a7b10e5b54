// berth-launcher: carries out on a node what needs root, as far as the controller has signed it,
// for an agent that does not run as root. It uses no network.
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "apps/berth_agent/joining.h"
#include "apps/berth_launcher/listener.h"
#include "apps/berth_launcher/serve_agent.h"
#include "apps/daemon/log_file.h"
#include "apps/daemon/process_limits.h"
#include "apps/daemon/single_instance.h"
#include "berth/base/text.h"
#include "berth/host/os/file_io.h"
#include "berth/trust/ownership.h"

namespace berth {
namespace {

constexpr int kExitConfig = 78;

Result<std::optional<std::uint32_t>> uid_of(const std::string& user) {
    if (user.empty()) return std::optional<std::uint32_t>();
    if (const passwd* const found = ::getpwnam(user.c_str()))
        return std::optional<std::uint32_t>(found->pw_uid);
    return Error{ErrorCode::not_found, "--agent-user: this host has no user '" + user + "'"};
}

// The API address for jobs' commands, which `berth-agent join` has written; empty: this host's
// socket.
std::string joined_api(const std::string& config) {
    const Result<std::string> address = read_file(config + "/controller");
    return address.ok() ? std::string(trim(*address)) : "";
}

Status run(LauncherOptions options, LogSink& log) {
    if (options.api.empty()) options.api = joined_api(options.config);
    BERTH_TRY(const std::optional<std::uint32_t> agent, uid_of(options.agent_user));
    BERTH_CHECK(check_path(options.state));
    BERTH_CHECK(make_folders(options.state));
    BERTH_CHECK(only_ours(options.state));
    BERTH_TRY(const NodeConfig config, read_node_config(options, log));
    BERTH_TRY(const FileLock lock, DirectoryLock::take(options.state, "berth-launcher"));
    BERTH_TRY(const PidFile pid, PidFile::write(options.pid_file, "berth-launcher"));
    log.write(LogLevel::info, "launcher",
              "version " BERTH_VERSION ", node " + options.node + ", listens on " + options.socket);
    return listen_for_agents({options.socket, agent}, log, [&](int socket) {
        return serve_agent(socket, options, config.spec, config.node, config.machine, log);
    });
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
    ::umask(022);  // Only the owner may write to created files, whatever the caller's umask.
    int exit_code = 0;
    const auto options = berth::parse_launcher_options(argc, argv, exit_code);
    if (!options) return exit_code;
    berth::explain_limits("berth-launcher");
    auto log = berth::LogFile::open(
        options->log_file, options->verbose ? berth::LogLevel::debug : berth::LogLevel::info);
    if (!log.ok()) {
        std::fprintf(stderr, "berth-launcher: error: %s\n", log.error().message.c_str());
        return 1;
    }
    const berth::Status ended = berth::run(*options, **log);
    if (ended.ok()) return 0;
    (*log)->write(berth::LogLevel::error, "launcher", ended.error().message);
    std::fprintf(stderr, "berth-launcher: error: %s\n", ended.error().message.c_str());
    return berth::kExitConfig;
}
