#include "berth/cli/doctor.h"

#include <algorithm>
#include <functional>

#include "berth/base/hostlist.h"

namespace berth::cli {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
// With less than that berthd takes no submissions: see store/free_space.
constexpr std::int64_t kTooFull = 128 * kMiB, kNearlyFull = 1024 * kMiB;
constexpr std::size_t kNamed = 3;
constexpr std::int64_t kRenewedBy = 25;  // Days; the agent begins 30 days before the end.

using Is = Symptom::Is;

class Diagnosis {
public:
    explicit Diagnosis(const Installation& of) : of_(of) {}

    std::vector<Symptom> take() {
        controller();
        configuration();
        nodes();
        state();
        certificate();
        machine();
        commands();
        return std::move(all_);
    }

private:
    void well(std::string what) { all_.push_back({Is::well, std::move(what), ""}); }
    void note(std::string what, std::string mend) {
        all_.push_back({Is::worth_knowing, std::move(what), std::move(mend)});
    }
    void wrong(std::string what, std::string mend) {
        all_.push_back({Is::wrong, std::move(what), std::move(mend)});
    }

    void controller();
    void configuration();
    void nodes();
    void nodes_that(const char* what, const char* mend,
                    const std::function<bool(const api::NodeRow&)>& is);
    void state();
    void certificate();
    void machine();
    void commands();

    const Installation& of_;
    std::vector<Symptom> all_;
};

void Diagnosis::controller() {
    if (!of_.ping && !of_.has_socket) {
        return wrong("no controller listens at " + of_.socket,
                     "start it: systemctl start berth-controller, or berth up; where it listens "
                     "elsewhere, set BERTH_SOCKET");
    }
    if (!of_.ping) {
        return wrong(
            "the controller at " + of_.socket + " does not answer: " + of_.silence,
            "it has died or hangs: look at the end of its log, and start it again; what it "
            "has acknowledged is kept");
    }
    well("the controller of cluster " + of_.ping->cluster + " answers, version " +
         of_.ping->version);
    if (of_.ping->version != of_.version) {
        wrong("the controller has version " + of_.ping->version + ", these commands " + of_.version,
              "install the same version of both, and restart berth-controller");
    }
}

void Diagnosis::configuration() {
    if (!of_.has_config) {
        return note("there is no slurm.conf in " + of_.config,
                    "name its directory by --config, or write one: berth detect prints this "
                    "machine's lines");
    }
    std::size_t errors = 0, warnings = 0;
    for (const config::Finding& finding : of_.findings) {
        warnings += finding.severity == config::Severity::warning ? 1 : 0;
        if (finding.severity != config::Severity::error || ++errors > kNamed) continue;
        wrong(config::to_string(finding), "berthd does not start with this");
    }
    if (errors > kNamed) {
        wrong(std::to_string(errors - kNamed) + " more errors in " + of_.config,
              "berth config check " + of_.config + " has them all");
    }
    if (warnings > 0) {
        note(std::to_string(warnings) + " warnings about the configuration in " + of_.config,
             "berth config check " + of_.config + " has them");
    }
    if (of_.ping && of_.configured_at && *of_.configured_at > of_.ping->started_at) {
        note("the configuration in " + of_.config + " is newer than the controller",
             "restart it to take the change: running jobs go on");
    }
    if (errors == 0) well("the configuration in " + of_.config + " can be read");
}

void Diagnosis::nodes_that(const char* what, const char* mend,
                           const std::function<bool(const api::NodeRow&)>& is) {
    std::vector<std::string> names;
    for (const api::NodeRow& node : of_.nodes) {
        if (is(node)) names.push_back(node.name);
    }
    if (!names.empty()) wrong(compress_hostlist(names) + ' ' + what, mend);
}

bool has(const api::NodeRow& node, const char* flag) {
    return std::ranges::find(node.flags, flag) != node.flags.end();
}

void Diagnosis::nodes() {
    if (!of_.ping) return;
    const std::size_t before = all_.size();
    nodes_that("have never registered", "start berth-agent there",
               [](const api::NodeRow& node) { return node.state == "UNKNOWN"; });
    nodes_that("do not answer",
               "look at berth-agent there; if a node is truly dead, say so: scontrol update "
               "NodeName=NAME State=DOWN Reason=WHY, and its jobs are settled",
               [](const api::NodeRow& node) {
                   return node.state != "UNKNOWN" && has(node, "NOT_RESPONDING");
               });
    nodes_that("are down, as an administrator has said",
               "once mended: scontrol update NodeName=NAME State=RESUME",
               [](const api::NodeRow& node) {
                   return node.state == "DOWN" && !has(node, "NOT_RESPONDING");
               });
    nodes_that("run an agent of another version than the controller's",
               "restart berth-agent there: its jobs go on", [this](const api::NodeRow& node) {
                   return !node.version.empty() && node.version != of_.ping->version;
               });
    for (const api::NodeRow& node : of_.nodes) {
        if (!has(node, "DRAIN")) continue;
        note(node.name + " is drained: " + (node.reason.empty() ? "no reason given" : node.reason),
             "once mended: scontrol update NodeName=" + node.name + " State=RESUME");
    }
    if (all_.size() == before) well(std::to_string(of_.nodes.size()) + " nodes answer");
}

void Diagnosis::state() {
    if (of_.state.empty()) return;
    if (!of_.has_state) {
        return note("there is no database in " + of_.state,
                    "name the directory by --state, where it is another one");
    }
    const std::string free =
        std::to_string(of_.free_bytes / kMiB) + " MiB are free at " + of_.state;
    if (of_.free_bytes < kTooFull) {
        wrong(free + ": submissions are refused", "make room; ends of jobs are still recorded");
    } else if (of_.free_bytes < kNearlyFull) {
        note(free, "make room before there are less than " + std::to_string(kTooFull / kMiB));
    } else {
        well(free);
    }
    if (of_.others_may_read_state) {
        wrong("everybody may read " + of_.state + ", with all scripts and environments",
              "chmod o-rwx " + of_.state);
    }
}

void Diagnosis::certificate() {
    if (!of_.certificate_trouble.empty()) {
        return wrong("the certificate of this node is of no use: " + of_.certificate_trouble,
                     "mend that, or let the node join anew: berth token create on the controller's "
                     "host, berth-agent join here");
    }
    if (!of_.certified_until) return;
    const std::int64_t days = seconds(*of_.certified_until - of_.now) / 86'400;
    if (*of_.certified_until <= of_.now) {
        return wrong("the certificate of node " + of_.certified_as + " has run out",
                     "let it join anew: berth token create --node " + of_.certified_as +
                         " on the controller's host, berth-agent join here");
    }
    if (days < kRenewedBy) {
        return note("the certificate of node " + of_.certified_as + " runs out in " +
                        std::to_string(days) + " days and has not been renewed",
                    "the agent renews it when it reaches the controller: look at its log");
    }
    well("this host is node " + of_.certified_as + " by its certificate, for " +
         std::to_string(days) + " more days");
}

void Diagnosis::machine() {
    if (of_.is_root && !of_.has_cgroups) {
        wrong("no cgroups are mounted: jobs here would not be confined",
              "mount -t cgroup2 none /sys/fs/cgroup, or start systemd");
    } else if (of_.has_cgroups) {
        well("cgroups are mounted");
    }
    if (of_.has_gpus && of_.has_config && !of_.configures_gpus) {
        note("this machine has NVIDIA GPUs, and the configuration names none",
             "berth detect prints their lines for slurm.conf and gres.conf");
    }
}

void Diagnosis::commands() {
    for (const auto& [name, path] : of_.foreign_commands) {
        wrong(name + " is " + path + ", which is not Berth's",
              "put Berth's programs first in PATH, or remove slurm-client");
    }
    if (of_.foreign_commands.empty()) well("PATH finds no other scheduler's commands");
}

}  // namespace

std::vector<Symptom> diagnose(const Installation& installation) {
    return Diagnosis(installation).take();
}

}  // namespace berth::cli
