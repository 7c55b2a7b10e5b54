// berth up, down, status: a cluster on this machine.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <thread>

#include "berth/base/text.h"
#include "berth/cli/cluster_dir.h"
#include "berth/cli/subcommands.h"
#include "berth/cli/up_config.h"
#include "berth/client/client.h"
#include "berth/config/files.h"
#include "berth/store/schema.h"
#include "berth/trust/key_file.h"
#include "berth/trust/ownership.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kStartPatience = 30s;

std::string text_of_file(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The end of a log, for when a daemon did not come up.
std::string end_of(const fs::path& path) {
    const std::string text = text_of_file(path);
    constexpr std::size_t kShown = 2000;
    return text.size() > kShown ? text.substr(text.size() - kShown) : text;
}

Client client_of(const ClusterDir& dir) {
    return Client(Endpoint{dir.socket().string()}, {.timeout = 10s, .retry_for = 0s});
}

Status write_environment(const ClusterDir& dir) {
    const std::string text = "# Source this, and every command finds the cluster in " +
                             dir.path().string() + ".\n" + "export BERTH_STATE='" +
                             dir.path().string() + "'\n" + "export BERTH_SOCKET='" +
                             dir.socket().string() + "'\n" + "export SLURM_CONF='" +
                             (dir.config() / "slurm.conf").string() + "'\n" + "export PATH='" +
                             program_directory().string() + "':\"$PATH\"\n";
    return write_public_file(dir.environment_file().string(), text);
}

// A database that lies in the directory itself is that of a controller which `berth up` did not
// start: another one beside it would be an empty cluster in its place.
Status check_database(const ClusterDir& dir) {
    const fs::path there = dir.path() / kStateFile, ours = dir.state() / kStateFile;
    std::error_code ignored;
    if (!fs::exists(there, ignored) || fs::exists(ours, ignored)) return Done{};
    return Error{ErrorCode::failed_precondition,
                 there.string() + " is the database of another controller (berthd --state " +
                     dir.path().string() +
                     "): start that controller, or give another directory with "
                     "--state. To go on with it here, stop that controller and move " +
                     there.string() + "* into " + dir.state().string() + '/'};
}

class Starter {
public:
    Starter(const ClusterDir& dir, const UpOptions& options, Output& output)
        : dir_(dir), options_(options), output_(output) {}

    // Nothing is changed before all of it has been found right.
    Status configure() {
        BERTH_CHECK(check_path(dir_.path().string()));
        BERTH_CHECK(check_ownership(dir_.path().string()));
        BERTH_CHECK(check_database(dir_));
        const bool is_new = !has_config(dir_.config());
        std::optional<UpConfig> wanted;
        if (is_new || asks_for_config(options_)) {
            BERTH_TRY(wanted, wanted_config(options_));
            BERTH_TRY(const bool installs, is_new ? may_install() : must_replace(*wanted));
            if (!installs) wanted.reset();
        }
        if (wanted && options_.replace_config)
            BERTH_CHECK(check_foreign_files(dir_.config(), true));
        BERTH_CHECK(read(wanted));
        BERTH_CHECK(check_ownership((dir_.state() / kStateFile).string()));
        BERTH_CHECK(dir_.create());
        if (!wanted) return Done{};
        if (!wanted->summary.empty()) output_.out() << wanted->summary << '\n';
        std::error_code ignored;
        const bool moves =
            fs::exists(dir_.config(), ignored) && !fs::is_empty(dir_.config(), ignored);
        BERTH_CHECK(install_config(*wanted, dir_.config()));
        if (moves) {
            output_.out() << "kept the former configuration in " << dir_.config().string()
                          << ".previous\n";
        }
        return Done{};
    }

    Status start_all() {
        const std::string bin = program_directory().string();
        if (!dir_.find_running("berthd")) {
            std::vector<std::string> command = {bin + "/berthd",
                                                "--state",
                                                dir_.state().string(),
                                                "--config",
                                                dir_.config().string(),
                                                "--socket",
                                                dir_.socket().string(),
                                                "--agent-socket",
                                                dir_.agent_socket().string(),
                                                "--log-file",
                                                (dir_.logs() / "berthd.log").string()};
            if (options_.lenient) command.emplace_back("--lenient");
            if (options_.accept_loss) command.emplace_back("--accept-loss");
            BERTH_CHECK(dir_.start("berthd", command));
            output_.out() << "started berthd\n";
        }
        BERTH_CHECK(wait_for_controller());
        for (const NodeSpec& node : spec_.nodes) {
            const std::string name = "agent-" + node.name;
            if (dir_.find_running(name)) continue;
            BERTH_CHECK(dir_.start(name, agent_command(bin, node)));
            output_.out() << "started " << name << '\n';
        }
        return wait_for_nodes();
    }

private:
    // Where there is no configuration. True, or an error.
    Result<bool> may_install() const {
        const Status foreign = check_foreign_files(dir_.config(), false);
        if (foreign.ok()) return true;
        if (!options_.replace_config) return foreign.error();
        if (dir_.running().empty()) return true;
        return Error{ErrorCode::failed_precondition,
                     "the cluster in " + dir_.path().string() +
                         " is running: stop it first with berth down"};
    }

    // True: the cluster has another configuration, which is to be replaced.
    Result<bool> must_replace(const UpConfig& wanted) const {
        const std::vector<std::string> all = differences(wanted, options_, dir_.config());
        if (all.empty()) return false;
        const std::string which =
            "the cluster in " + dir_.path().string() + " is configured differently: ";
        if (!options_.replace_config) {
            return Error{ErrorCode::failed_precondition,
                         which + join(all, "; ") +
                             ". Start it as it is with berth up alone, or replace its "
                             "configuration with --replace-config"};
        }
        if (dir_.running().empty()) return true;
        return Error{ErrorCode::failed_precondition,
                     which + join(all, "; ") + ". It is running: stop it first with berth down"};
    }

    Status read(const std::optional<UpConfig>& wanted) {
        config::ConfigFiles files;
        if (wanted) {
            files = wanted->files;
        } else {
            BERTH_TRY(files, config::read_directory(dir_.config().string()));
            BERTH_CHECK(check_ownership(dir_.config().string()));
            for (const std::string& path : config::paths_of(dir_.config().string(), files))
                BERTH_CHECK(check_ownership(path));
        }
        const config::Loaded loaded = config::load(files);
        for (const config::Finding& finding : loaded.findings) {
            if (finding.severity != config::Severity::note)
                output_.out() << config::to_string(finding) << '\n';
        }
        if (loaded.has_errors && !options_.lenient) {
            return Error{ErrorCode::invalid_argument,
                         "the configuration has errors; correct them, or start in spite of them "
                         "with --lenient"};
        }
        spec_ = loaded.spec;
        return Done{};
    }

    std::vector<std::string> agent_command(const std::string& bin, const NodeSpec& node) const {
        std::vector<std::string> command = {
            bin + "/berth-agent",
            "--node",
            node.name,
            "--controller",
            "unix:" + dir_.agent_socket().string(),
            "--state",
            (dir_.path() / "agents" / node.name).string(),
            "--config",
            dir_.config().string(),
            "--client-socket",
            dir_.socket().string(),
            "--log-file",
            (dir_.logs() / ("agent-" + node.name + ".log")).string()};
        if (options_.lenient) command.emplace_back("--lenient");
        const auto own_cpus =
            static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
        if (spec_.nodes.size() > 1 || node.cpus() > own_cpus) command.emplace_back("--emulate");
        return command;
    }

    Status wait_for_controller() const {
        const auto until = std::chrono::steady_clock::now() + kStartPatience;
        while (std::chrono::steady_clock::now() < until) {
            if (client_of(dir_).ping()) return Done{};
            if (!dir_.find_running("berthd")) break;
            std::this_thread::sleep_for(30ms);
        }
        return Error{ErrorCode::unavailable, "berthd did not come up; its log ends:\n" +
                                                 end_of(dir_.logs() / "berthd.out") +
                                                 end_of(dir_.logs() / "berthd.log")};
    }

    Status wait_for_nodes() const {
        const auto until = std::chrono::steady_clock::now() + kStartPatience;
        std::string missing;
        while (std::chrono::steady_clock::now() < until) {
            const auto nodes = client_of(dir_).nodes();
            missing.clear();
            if (nodes) {
                for (const api::NodeRow& node : *nodes) {
                    const bool silent =
                        node.state == "UNKNOWN" ||
                        std::ranges::find(node.flags, "NOT_RESPONDING") != node.flags.end();
                    if (silent) missing += (missing.empty() ? "" : ", ") + node.name;
                }
                if (missing.empty()) return Done{};
            }
            std::this_thread::sleep_for(50ms);
        }
        return Error{ErrorCode::unavailable,
                     "these nodes did not register: " + missing + "; see " + dir_.logs().string()};
    }

    const ClusterDir& dir_;
    const UpOptions& options_;
    Output& output_;
    ClusterSpec spec_;
};

// The jobs that hold nodes now.
CallResult<std::vector<api::JobRow>> active_jobs(Client& client) {
    api::JobQuery query;
    query.states = {"RUNNING", "SUSPENDED", "COMPLETING"};
    return client.jobs(query);
}

// What `down --kill` drains nodes with, so that no job starts where another was just killed; `up`
// makes those available again.
constexpr std::string_view kGoingDown = "berth down";

bool takes_work(const api::NodeRow& node) {
    return std::ranges::find(node.flags, "DRAIN") == node.flags.end() && node.state != "DOWN";
}

void close_nodes(Client& client) {
    const auto nodes = client.nodes();
    if (!nodes) return;
    const api::NodePatch close{.state = "DRAIN", .reason = std::string(kGoingDown)};
    for (const api::NodeRow& node : *nodes) {
        if (takes_work(node)) static_cast<void>(client.update_node(node.name, close));
    }
}

void open_nodes(Client& client) {
    const auto nodes = client.nodes();
    if (!nodes) return;
    for (const api::NodeRow& node : *nodes) {
        if (!node.reason.starts_with(kGoingDown)) continue;
        static_cast<void>(client.update_node(node.name, {.state = "RESUME", .reason = {}}));
    }
}

bool wait_until_idle(Client& client) {
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (std::chrono::steady_clock::now() < until) {
        const auto jobs = active_jobs(client);
        if (!jobs || jobs->empty()) return true;
        std::this_thread::sleep_for(100ms);
    }
    return false;
}

}  // namespace

int up(const UpOptions& options, Output& output) {
    // Of the daemons, too: nobody else is to write what they make.
    ::umask(022);
    const ClusterDir dir = ClusterDir::find(options.state);
    Starter starter(dir, options, output);
    if (const Status configured = starter.configure(); !configured.ok())
        return output.fail(configured.error().message);
    if (const Status written = write_environment(dir); !written.ok())
        return output.fail(written.error().message);
    if (const Status started = starter.start_all(); !started.ok())
        return output.fail(started.error().message);
    Client client = client_of(dir);
    open_nodes(client);
    if (geteuid() != 0) {
        output.out() << "not root: only your own jobs run, and their cores, memory and devices are "
                        "not isolated\n";
    }
    output.out() << output.paint("ready", Colour::green) << "; in a shell:  source "
                 << dir.environment_file().string() << '\n';
    return 0;
}

int down(const DownOptions& options, Output& output) {
    const ClusterDir dir = ClusterDir::find(options.state);
    // What another user wrote there could name any process.
    for (const Status& ours :
         {check_path(dir.path().string()), check_ownership(dir.path().string())})
        if (!ours.ok()) return output.fail(ours.error().message);
    std::vector<Daemon> daemons = dir.running();
    if (daemons.empty())
        return output.out() << "nothing runs in " << dir.path().string() << '\n', 0;
    Client client = client_of(dir);
    const auto jobs = active_jobs(client);
    if (jobs && !jobs->empty() && !options.kill) {
        std::string ids;
        for (const api::JobRow& job : *jobs) ids += " " + to_string(job.id);
        return output.fail(std::to_string(jobs->size()) +
                           (jobs->size() == 1 ? " job runs:" : " jobs run:") + ids +
                           "; wait for them, cancel them, or add --kill");
    }
    if (jobs && options.kill) {
        close_nodes(client);
        if (const auto running = active_jobs(client)) {
            for (const api::JobRow& job : *running)
                static_cast<void>(client.cancel(to_string(job.id)));
        }
        if (!wait_until_idle(client))
            output.out() << "some jobs did not end within a minute; stopping anyway\n";
    }
    // The controller goes last, so that it hears what the agents still have to say.
    std::ranges::sort(daemons, {}, [](const Daemon& daemon) {
        return std::pair(daemon.name == "berthd", daemon.name);
    });
    for (const Daemon& daemon : daemons) {
        if (const Status stopped = dir.stop(daemon); !stopped.ok())
            return output.fail(stopped.error().message);
        output.out() << "stopped " << daemon.name << '\n';
    }
    return 0;
}

int status(const std::string& state, bool json, Output& output) {
    const ClusterDir dir = ClusterDir::find(state);
    const std::vector<Daemon> daemons = dir.running();
    Client client = client_of(dir);
    const auto ping = client.ping();
    const auto jobs = ping ? client.jobs() : ping.problem();
    const auto count = [&](const char* wanted) {
        return jobs ? std::ranges::count(*jobs, std::string(wanted), &api::JobRow::state) : 0;
    };
    if (json) {
        auto list = nlohmann::ordered_json::array();
        for (const Daemon& daemon : daemons)
            list.push_back({{"name", daemon.name}, {"pid", daemon.pid}});
        output.out() << nlohmann::ordered_json{{"state", dir.path().string()},
                                               {"answers", ping.ok()},
                                               {"daemons", list},
                                               {"running", count("RUNNING")},
                                               {"pending", count("PENDING")}}
                            .dump(2)
                     << '\n';
        return ping ? 0 : 1;
    }
    output.out() << "state    " << dir.path().string() << '\n';
    for (const Daemon& daemon : daemons)
        output.out() << "daemon   " << daemon.name << " (pid " << daemon.pid << ")\n";
    if (!ping) return output.fail(ping.problem());
    output.out() << "cluster  " << ping->cluster << " on " << ping->host << ", version "
                 << ping->version << '\n';
    output.out() << "jobs     " << count("RUNNING") << " running, " << count("PENDING")
                 << " pending\n";
    return 0;
}

}  // namespace berth::cli
