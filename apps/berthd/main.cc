// berthd: the controller of a Berth cluster.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "apps/berthd/controller_daemon.h"
#include "apps/berthd/state_folder.h"
#include "apps/berthd/submit_script.h"
#include "apps/daemon/cluster_config.h"
#include "apps/daemon/configured_log.h"
#include "apps/daemon/log_file.h"
#include "apps/daemon/process_limits.h"
#include "apps/daemon/single_instance.h"
#include "apps/daemon/stop_signal.h"

namespace berth {
namespace {

// Lets a service manager tell a failed disk from a bad configuration (sysexits.h).
constexpr int kExitConfig = 78;
constexpr int kExitStore = 74;

int fail(LogSink& log, const Error& error, int code) {
    log.write(LogLevel::error, "berthd", error.message);
    std::fprintf(stderr, "berthd: error: %s\n", error.message.c_str());
    return code;
}

int serve(const ControllerOptions& options, StopSignal& signals, LogFile& log) {
    bool starting = true;
    const auto read_config = [&]() -> Result<ClusterSpec> {
        BERTH_TRY(ClusterSpec read,
                  read_cluster_config(options.config,
                                      {.lenient = options.lenient, .starting = starting}, log));
        BERTH_CHECK(check_submit_script(options.config, read.job_submit));
        if (!options.cluster_name.empty()) read.name = options.cluster_name;
        return read;
    };
    // The first read is for the log settings only, so that findings about the rest go to the
    // configured log.
    SilentLog nobody;
    const Result<ClusterSpec> first =
        read_cluster_config(options.config, {.lenient = true, .quiet = true}, nobody);
    if (first.ok()) {
        configure_log(log, config::controller_log(*first), options.log_file, options.verbose);
    }
    Result<ClusterSpec> spec = read_config();
    if (!spec.ok()) return fail(log, spec.error(), kExitConfig);
    starting = false;
    const Status folder = prepare_state_folder(options.state);
    if (!folder.ok()) return fail(log, folder.error(), kExitConfig);
    const Result<FileLock> lock = DirectoryLock::take(options.state, "berthd");
    if (!lock.ok()) return fail(log, lock.error(), kExitConfig);
    const Result<PidFile> pid = PidFile::write(options.pid_file, "berthd");
    if (!pid.ok()) return fail(log, pid.error(), kExitConfig);
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    const auto listening = listening_of(options, *spec, host.data());
    if (!listening.ok()) return fail(log, listening.error(), kExitConfig);
    auto daemon =
        ControllerDaemon::start(options, *listening, std::move(spec).value(), read_config, log);
    if (!daemon.ok()) return fail(log, daemon.error(), kExitStore);
    log.write(LogLevel::info, "berthd",
              "version " BERTH_VERSION " listens on " + options.socket + ", for agents on " +
                  options.agent_socket);
    if (*listening) {
        log.write(LogLevel::info, "berthd",
                  "listens for other hosts on " + to_string((*listening)->api) +
                      ", for their agents on " + to_string((*listening)->link) + ", by TLS");
    }
    signals.then([&] { (*daemon)->stop(); }, [&] { (*daemon)->reconfigure(); });
    const Status ended = (*daemon)->run();
    signals.rest();
    if (!ended.ok()) {
        // Nothing that was not recorded may become visible: no farewell, no destructors.
        log.write(LogLevel::error, "berthd",
                  "the store has failed; stopping at once: " + ended.error().message);
        log.flush();
        _exit(kExitStore);
    }
    log.write(LogLevel::info, "berthd", "stopped, as asked");
    return 0;
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
    ::umask(022);  // Only the owner may write to created files, whatever the caller's umask.
    int exit_code = 0;
    const auto options = berth::parse_controller_options(argc, argv, exit_code);
    if (!options) return exit_code;
    berth::explain_limits("berthd");
    berth::StopSignal signals;
    auto log = berth::LogFile::open(
        options->log_file, options->verbose ? berth::LogLevel::debug : berth::LogLevel::info);
    if (!log.ok()) {
        std::fprintf(stderr, "berthd: error: %s\n", log.error().message.c_str());
        return 1;
    }
    return berth::serve(*options, signals, **log);
}
