#include "berth/cli/doctor.h"

#include <gtest/gtest.h>

#include <functional>

namespace berth::cli {
namespace {

api::NodeRow node(std::string name, std::string state = "IDLE",
                  std::vector<std::string> flags = {}) {
    api::NodeRow row;
    row.name = std::move(name);
    row.state = std::move(state);
    row.flags = std::move(flags);
    row.version = "1.0";
    return row;
}

Installation healthy() {
    Installation all;
    all.socket = "/run/berth/berthd.sock";
    all.has_socket = true;
    all.ping = api::Ping{.version = "1.0", .cluster = "c", .started_at = from_seconds(1000)};
    all.version = "1.0";
    all.nodes = {node("n1"), node("n2", "MIXED")};
    all.config = "/etc/berth";
    all.has_config = true;
    all.configured_at = from_seconds(900);
    all.state = "/var/lib/berth";
    all.has_state = true;
    all.free_bytes = std::int64_t{100} << 30;
    all.is_root = all.has_cgroups = true;
    all.configures_gpus = all.has_gpus = true;
    return all;
}

TEST(Doctor, FindsNothingWrongWhereAllIsWell) {
    for (const Symptom& one : diagnose(healthy())) {
        EXPECT_EQ(one.is, Symptom::Is::well) << one.what;
        EXPECT_EQ(one.mend, "");
    }
    EXPECT_EQ(diagnose(healthy()).size(), 6U);
}

using Is = Symptom::Is;

struct Case {
    std::function<void(Installation&)> break_it;
    Is is;
    const char *what, *mend;
};

void expect_symptoms(const std::vector<Case>& cases) {
    for (const Case& one : cases) {
        Installation sick = healthy();
        one.break_it(sick);
        bool found = false;
        for (const Symptom& symptom : diagnose(sick)) {
            if (symptom.what.find(one.what) == std::string::npos) continue;
            found = true;
            EXPECT_EQ(symptom.is, one.is) << one.what;
            EXPECT_NE(symptom.mend.find(one.mend), std::string::npos) << symptom.mend;
        }
        EXPECT_TRUE(found) << one.what;
    }
}

TEST(Doctor, SaysOfTheControllerAndItsFilesWhatIsWrongAndHowToMendIt) {
    expect_symptoms({
        {[](Installation& it) {
             it.ping.reset();
             it.has_socket = false;
         },
         Is::wrong, "no controller listens at /run/berth/berthd.sock",
         "systemctl start berth-controller"},
        {[](Installation& it) {
             it.ping.reset();
             it.silence = "connection refused";
         },
         Is::wrong, "does not answer: connection refused", "end of its log"},
        {[](Installation& it) { it.version = "2.0"; }, Is::wrong,
         "the controller has version 1.0, these commands 2.0", "same version"},
        {[](Installation& it) { it.has_config = false; }, Is::worth_knowing,
         "there is no slurm.conf in /etc/berth", "berth detect"},
        {[](Installation& it) {
             it.findings = {{config::Severity::error, "slurm.conf", 3, "no such key"}};
         },
         Is::wrong, "slurm.conf:3: error: no such key", "does not start"},
        {[](Installation& it) {
             it.findings.assign(5, {config::Severity::error, "slurm.conf", 3, "no such key"});
         },
         Is::wrong, "2 more errors in /etc/berth", "berth config check /etc/berth"},
        {[](Installation& it) {
             it.findings = {{config::Severity::warning, "slurm.conf", 3, "odd"}};
         },
         Is::worth_knowing, "1 warnings about", "berth config check"},
        {[](Installation& it) { it.configured_at = from_seconds(1001); }, Is::worth_knowing,
         "is newer than the controller", "restart it"},
    });
}

TEST(Doctor, SaysOfNodesStateAndMachineWhatIsWrongAndHowToMendIt) {
    const auto of_version = [](std::string version) {
        api::NodeRow row = node("n3");
        row.version = std::move(version);
        return row;
    };
    const auto drained = [] {
        api::NodeRow row = node("n4", "IDLE", {"DRAIN"});
        row.reason = "ECC";
        return row;
    };
    expect_symptoms({
        {[](Installation& it) { it.nodes = {node("n1", "UNKNOWN", {"NOT_RESPONDING"})}; },
         Is::wrong, "n1 have never registered", "start berth-agent"},
        {[](Installation& it) {
             it.nodes = {node("n1", "DOWN", {"NOT_RESPONDING"}),
                         node("n2", "IDLE", {"NOT_RESPONDING"})};
         },
         Is::wrong, "n[1-2] do not answer", "State=DOWN"},
        {[](Installation& it) { it.nodes = {node("n1", "DOWN")}; }, Is::wrong,
         "n1 are down, as an administrator has said", "State=RESUME"},
        {[&](Installation& it) { it.nodes.push_back(of_version("0.9")); }, Is::wrong,
         "n3 run an agent of another version", "restart berth-agent"},
        {[&](Installation& it) { it.nodes.push_back(drained()); }, Is::worth_knowing,
         "n4 is drained: ECC", "NodeName=n4 State=RESUME"},
        {[](Installation& it) { it.has_state = false; }, Is::worth_knowing,
         "there is no database in /var/lib/berth", "--state"},
        {[](Installation& it) { it.free_bytes = 100 << 20; }, Is::wrong,
         "100 MiB are free at /var/lib/berth: submissions are refused", "make room"},
        {[](Installation& it) { it.free_bytes = 500 << 20; }, Is::worth_knowing, "500 MiB are free",
         "less than 128"},
        {[](Installation& it) { it.others_may_read_state = true; }, Is::wrong,
         "everybody may read /var/lib/berth", "chmod o-rwx /var/lib/berth"},
        {[](Installation& it) { it.has_cgroups = false; }, Is::wrong, "no cgroups are mounted",
         "mount -t cgroup2"},
        {[](Installation& it) { it.configures_gpus = false; }, Is::worth_knowing,
         "has NVIDIA GPUs, and the configuration names none", "berth detect"},
        {[](Installation& it) { it.foreign_commands = {{"squeue", "/opt/slurm/bin/squeue"}}; },
         Is::wrong, "squeue is /opt/slurm/bin/squeue", "first in PATH"},
    });
}

TEST(Doctor, SaysHowLongTheCertificateOfANodeLasts) {
    const auto until = [](std::int64_t days) {
        return [days](Installation& all) {
            all.now = from_seconds(1000);
            all.certified_as = "gpu1";
            all.certified_until = from_seconds(1000 + days * 86'400);
        };
    };
    expect_symptoms({
        {until(40), Is::well, "node gpu1 by its certificate, for 40 more days", ""},
        {until(24), Is::worth_knowing, "runs out in 24 days", "look at its log"},
        {until(0), Is::wrong, "has run out", "berth token create --node gpu1"},
        {[](Installation& all) { all.certificate_trouble = "chmod 600 x"; }, Is::wrong,
         "of no use: chmod 600 x", "join anew"},
    });
}

TEST(Doctor, AsksNothingOfNodesWhereNoControllerAnswers) {
    Installation sick = healthy();
    sick.ping.reset();
    sick.nodes.clear();
    for (const Symptom& one : diagnose(sick))
        EXPECT_EQ(one.what.find("nodes answer"), std::string::npos);
}

}  // namespace
}  // namespace berth::cli
