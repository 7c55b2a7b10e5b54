// berth up, down, status: a cluster on this machine.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <thread>

#include "berth/base/text.h"
#include "berth/cli/cluster_dir.h"
#include "berth/cli/commands.h"
#include "berth/cli/new_cluster.h"
#include "berth/client/client.h"
#include "berth/config/files.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kStartPatience = 30s;

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The end of a log, for when a daemon did not come up.
std::string end_of(const fs::path& path) {
    const std::string text = text_of(path);
    constexpr std::size_t kShown = 2000;
    return text.size() > kShown ? text.substr(text.size() - kShown) : text;
}

Status copy_configuration(const std::string& slurm_conf, const fs::path& to) {
    const fs::path from =
        fs::path(slurm_conf).has_parent_path() ? fs::path(slurm_conf).parent_path() : fs::path(".");
    std::error_code failed;
    for (const char* name : {"gres.conf", "cgroup.conf", "topology.conf", "berth.yaml"}) {
        fs::remove(to / name, failed);
        if (fs::exists(from / name))
            fs::copy_file(from / name, to / name, fs::copy_options::overwrite_existing, failed);
    }
    fs::copy_file(slurm_conf, to / "slurm.conf", fs::copy_options::overwrite_existing, failed);
    if (failed)
        return Error{ErrorCode::not_found, "cannot read " + slurm_conf + ": " + failed.message()};
    return Done{};
}

Client client_of(const ClusterDir& dir) {
    return Client(Endpoint{dir.socket().string()}, {.timeout = 10s, .retry_for = 0s});
}

void write_environment(const ClusterDir& dir) {
    std::ofstream file(dir.environment_file());
    file << "# Source this, and every command finds the cluster in " << dir.path().string() << ".\n"
         << "export BERTH_STATE='" << dir.path().string() << "'\n"
         << "export BERTH_SOCKET='" << dir.socket().string() << "'\n"
         << "export SLURM_CONF='" << (dir.config() / "slurm.conf").string() << "'\n"
         << "export PATH='" << program_directory().string() << "':\"$PATH\"\n";
}

class Starter {
public:
    Starter(const ClusterDir& dir, const UpOptions& options, Output& output)
        : dir_(dir), options_(options), output_(output) {}

    Status configure() {
        if (!options_.slurm_conf.empty()) {
            BERTH_CHECK(copy_configuration(options_.slurm_conf, dir_.config()));
        } else if (!fs::exists(dir_.config() / "slurm.conf") || !options_.simulate_gpus.empty() ||
                   options_.nodes > 1 || options_.cpus > 0) {
            if (dir_.running().empty()) {
                BERTH_TRY(
                    const WrittenCluster written,
                    write_configuration(dir_.config(), {.nodes = options_.nodes,
                                                        .cpus = options_.cpus,
                                                        .simulate_gpus = options_.simulate_gpus}));
                output_.out() << written.summary << '\n';
            }
        }
        BERTH_TRY(const auto files, config::read_directory(dir_.config().string()));
        const config::Loaded loaded = config::load(files);
        for (const config::Finding& finding : loaded.findings) {
            if (finding.severity != config::Severity::note)
                output_.out() << config::to_string(finding) << '\n';
        }
        if (loaded.has_errors && !options_.lenient) {
            return Error{ErrorCode::invalid_argument,
                         "the configuration has errors; mend them, or go on in spite of them with "
                         "--lenient"};
        }
        spec_ = loaded.spec;
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
    const ClusterDir dir = ClusterDir::find(options.state);
    if (const Status made = dir.create(); !made.ok()) return output.fail(made.error().message);
    Starter starter(dir, options, output);
    if (const Status configured = starter.configure(); !configured.ok())
        return output.fail(configured.error().message);
    write_environment(dir);
    if (const Status started = starter.start_all(); !started.ok())
        return output.fail(started.error().message);
    Client client = client_of(dir);
    open_nodes(client);
    if (geteuid() != 0)
        output.out() << "not root: only your own jobs run, and their cores, memory and devices are "
                        "not isolated\n";
    output.out() << output.paint("ready", Colour::green) << "; in a shell:  source "
                 << dir.environment_file().string() << '\n';
    return 0;
}

int down(const DownOptions& options, Output& output) {
    const ClusterDir dir = ClusterDir::find(options.state);
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
                           "; wait for them, cancel them, or say --kill");
    }
    if (jobs && options.kill) {
        close_nodes(client);
        if (const auto running = active_jobs(client)) {
            for (const api::JobRow& job : *running)
                static_cast<void>(client.cancel(to_string(job.id)));
        }
        if (!wait_until_idle(client))
            output.out() << "some jobs did not end in a minute; stopping all the same\n";
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
