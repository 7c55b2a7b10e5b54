#include "berth/cli/doctor.h"

#include <algorithm>
#include <array>
#include <functional>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"

namespace berth::cli {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
// With less than that berthd takes no submissions: see store/free_space.
constexpr std::int64_t kTooFull = 128 * kMiB, kNearlyFull = 1024 * kMiB;
constexpr std::size_t kNamed = 3;
constexpr std::int64_t kRenewedBy = 25;  // Days; the agent begins 30 days before the end.

constexpr Duration kClocksDiffer = std::chrono::seconds(5);
constexpr std::int64_t kSlowSync = 20'000, kVerySlowSync = 200'000;  // Microseconds.
constexpr std::int64_t kAuthorityDays = 180;

// What keeps jobs from ever starting until somebody does something.
struct StuckReason {
    const char *reason, *mend;
};
constexpr auto kStuck = std::to_array<StuckReason>({
    {"launch failed requeued held",
     "their start failed: look at the node's or berthd's log (Prolog, PrologSlurmctld, PAM), then "
     "scontrol release JOB"},
    {"JobHeldAdmin", "an administrator holds them: scontrol release JOB"},
    {"BadConstraints",
     "no set of nodes could run them, even if all were empty: berth why JOB, then scontrol update "
     "or scancel"},
    {"ReqNodeNotAvail",
     "they need nodes that take no work: sinfo -R, scontrol update State=RESUME"},
    {"DependencyNeverSatisfied", "their dependencies can no longer be met: scancel JOB"},
    {"PartitionDown", "scontrol update PartitionName=NAME State=UP"},
    {"PartitionInactive", "scontrol update PartitionName=NAME State=UP"},
});

using Is = Symptom::Is;

class Diagnosis {
public:
    explicit Diagnosis(const Installation& of) : of_(of) {}

    std::vector<Symptom> take() {
        controller();
        clocks();
        configuration();
        nodes();
        jobs();
        state();
        files();
        programs();
        certificate();
        machine();
        node_services();
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
    void clocks();
    void configuration();
    void jobs();
    void files();
    void programs();
    void node_services();
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
                     "start it: systemctl start berth-controller, or berth up; if it listens "
                     "elsewhere, set BERTH_SOCKET");
    }
    if (!of_.ping) {
        return wrong("the controller at " + of_.socket + " does not answer: " + of_.silence,
                     "it has died or hangs: read the end of its log and restart it; nothing that "
                     "it acknowledged is lost");
    }
    well("the controller of cluster " + of_.ping->cluster + " answers, version " +
         of_.ping->version);
    if (of_.ping->version != of_.version) {
        wrong("the controller has version " + of_.ping->version + ", these commands " + of_.version,
              "install the same version of both, and restart berth-controller");
    }
}

// The answer is from between its asking and its coming.
void Diagnosis::clocks() {
    if (!of_.ping || of_.ping->now == Time{}) return;
    const Duration apart = of_.ping->now - of_.now;
    const Duration most = kClocksDiffer + of_.answer_took;
    if (apart <= most && -apart <= most) return;
    wrong("this host's clock is " + std::to_string(std::abs(seconds(apart))) + " s " +
              (apart > Duration{} ? "behind" : "ahead of") + " the controller's",
          "run chrony or systemd-timesyncd on both: certificates, tokens and begin times depend on "
          "the clock");
}

void Diagnosis::jobs() {
    for (const auto& [reason, count] : of_.waiting) {
        for (const StuckReason& stuck : kStuck) {
            if (!reason.starts_with(stuck.reason)) continue;
            note(std::to_string(count) + (count == 1 ? " job waits" : " jobs wait") + " with " +
                     reason,
                 stuck.mend);
        }
    }
}

void Diagnosis::files() {
    for (const HostFacts::File& file : of_.host.files) {
        wrong(file.path + ' ' + file.trouble, file.mend);
    }
}

void Diagnosis::programs() {
    for (const HostFacts::Program& one : of_.host.programs) {
        const std::string what = one.key + "=" + one.path + ' ' + one.trouble;
        if (one.is_default) {
            note(what + ": nobody gets mail", "apt install bsd-mailx, or MailProg=None");
        } else {
            wrong(what, "berthd does not run it: correct the line or remove it");
        }
    }
}

// Of a host that is a node.
void Diagnosis::node_services() {
    if (of_.host.wants_pam && !of_.host.has_pam_service) {
        wrong("UsePAM=1, and this host has no PAM service slurm: on a node, no job starts",
              "write /etc/pam.d/slurm, like: account required pam_unix.so");
    }
    if (of_.host.has_launcher && !of_.host.launcher_trouble.empty()) {
        wrong("berth-launcher does not listen on this host: " + of_.host.launcher_trouble,
              "systemctl start berth-launcher: without it the agent runs nothing");
    }
    if (!of_.host.port_trouble.empty()) {
        wrong("the agent's port of the controller, " + of_.host.controller_port +
                  ", cannot be reached: " + of_.host.port_trouble,
              "start berthd with --listen, open the port in its firewall, or mend "
              "BERTH_CONTROLLER in /etc/default/berth-agent");
    }
}

void Diagnosis::configuration() {
    if (!of_.has_config) {
        return note("there is no slurm.conf in " + of_.config,
                    "give its directory with --config, or write one: berth detect prints this "
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
             "restart it to apply the change: running jobs continue");
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
               "look at berth-agent there; if a node is dead for good: scontrol update "
               "NodeName=NAME State=DOWN Reason=WHY, which ends its jobs",
               [](const api::NodeRow& node) {
                   return node.state != "UNKNOWN" && has(node, "NOT_RESPONDING");
               });
    nodes_that("are down, set so by an administrator",
               "once repaired: scontrol update NodeName=NAME State=RESUME",
               [](const api::NodeRow& node) {
                   return node.state == "DOWN" && !has(node, "NOT_RESPONDING");
               });
    nodes_that("run an agent of another version than the controller's",
               "restart berth-agent there: its jobs continue", [this](const api::NodeRow& node) {
                   return !node.version.empty() && node.version != of_.ping->version;
               });
    for (const api::NodeRow& node : of_.nodes) {
        if (!has(node, "DRAIN")) continue;
        if (node.reason.starts_with("Low ") ||
            node.reason.find("reported lower") != std::string::npos) {
            wrong(node.name + " has less than it is configured with: " + node.reason,
                  "berth detect on that host prints the line that fits; then scontrol reconfigure, "
                  "and scontrol update NodeName=" +
                      node.name + " State=RESUME");
            continue;
        }
        note(node.name + " is drained: " + (node.reason.empty() ? "no reason given" : node.reason),
             "once repaired: scontrol update NodeName=" + node.name + " State=RESUME");
    }
    if (all_.size() == before) well(std::to_string(of_.nodes.size()) + " nodes answer");
}

void Diagnosis::state() {
    if (of_.state.empty()) return;
    if (!of_.has_state) {
        return note("there is no database in " + of_.state,
                    "give the directory with --state if it is another one");
    }
    const std::string free =
        std::to_string(of_.free_bytes / kMiB) + " MiB are free at " + of_.state;
    if (of_.free_bytes < kTooFull) {
        wrong(free + ": submissions are refused", "free space; ends of jobs are still recorded");
    } else if (of_.free_bytes < kNearlyFull) {
        note(free, "free space before it falls below " + std::to_string(kTooFull / kMiB) + " MiB");
    } else {
        well(free);
    }
    if (of_.host.sync_micros && *of_.host.sync_micros >= kSlowSync) {
        const std::string slow = "a synced write at " + of_.state + " takes " +
                                 std::to_string(*of_.host.sync_micros / 1000) +
                                 " ms: the controller cannot answer faster";
        const char* const mend = "put the state on a local SSD, not on network storage";
        *of_.host.sync_micros >= kVerySlowSync ? wrong(slow, mend) : note(slow, mend);
    }
    if (of_.others_may_read_state) {
        wrong("everyone can read " + of_.state + ", including all scripts and environments",
              "chmod o-rwx " + of_.state);
    }
}

void Diagnosis::certificate() {
    if (!of_.certificate_trouble.empty()) {
        return wrong(
            "the certificate of this node cannot be used: " + of_.certificate_trouble,
            "correct that, or let the node join again: berth token create on the controller's "
            "host, berth-agent join here");
    }
    if (of_.host.authority_until) {
        const std::int64_t left = seconds(*of_.host.authority_until - of_.now) / 86'400;
        if (left < kAuthorityDays) {
            note("the cluster's authority (" + of_.state + "/keys/ca.pem) ends in " +
                     std::to_string(left) + " days, and with it every certificate",
                 "stop berthd, move ca.key and ca.pem away, start it, and let every node join "
                 "again");
        }
    }
    if (!of_.certified_until) return;
    const std::int64_t days = seconds(*of_.certified_until - of_.now) / 86'400;
    if (*of_.certified_until <= of_.now) {
        return wrong("the certificate of node " + of_.certified_as + " has expired",
                     "let it join again: berth token create --node " + of_.certified_as +
                         " on the controller's host, berth-agent join here");
    }
    if (days < kRenewedBy) {
        return note("the certificate of node " + of_.certified_as + " expires in " +
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
    } else if (of_.has_cgroups && !of_.host.missing_controllers.empty()) {
        wrong("cgroup v2 has no " + join(of_.host.missing_controllers, ", ") +
                  " here: jobs on this host would not be confined by them",
              "delegate them (systemd: Delegate=yes; in a container: give it the host's cgroups), "
              "and let no v1 hierarchy hold them");
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
        wrong((name + " is ").append(path) + ", which is not Berth's",
              "put Berth's programs first in PATH, or remove slurm-client");
    }
    if (of_.foreign_commands.empty()) well("PATH finds no other scheduler's commands");
}

}  // namespace

std::vector<Symptom> diagnose(const Installation& installation) {
    return Diagnosis(installation).take();
}

}  // namespace berth::cli
