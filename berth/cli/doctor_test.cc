#include "berth/cli/doctor.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
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

TEST(Doctor, SaysOfTheHostWhatIsWrongAndHowToMendIt) {
    expect_symptoms({
        {[](Installation& it) {
             it.now = from_seconds(2000);
             it.ping->now = from_seconds(2006);
         },
         Is::wrong, "this host's clock is 6 s behind the controller's", "chrony"},
        {[](Installation& it) {
             it.now = from_seconds(2000);
             it.ping->now = from_seconds(1900);
         },
         Is::wrong, "this host's clock is 100 s ahead of the controller's", "chrony"},
        {[](Installation& it) { it.host.sync_micros = 30'000; }, Is::worth_knowing,
         "a synced write at /var/lib/berth takes 30 ms", "SSD"},
        {[](Installation& it) { it.host.sync_micros = 900'000; }, Is::wrong, "takes 900 ms", "SSD"},
        {[](Installation& it) {
             it.host.programs = {{"MailProg", "/bin/mail", "is not there", true}};
         },
         Is::worth_knowing, "MailProg=/bin/mail is not there: nobody gets mail", "bsd-mailx"},
        {[](Installation& it) {
             it.host.programs = {{"PrologSlurmctld", "/etc/p", "is not executable", false}};
         },
         Is::wrong, "PrologSlurmctld=/etc/p is not executable", "does not run it"},
        {[](Installation& it) {
             it.host.files = {
                 {"/etc/berth/slurm.conf", "can be changed by everybody", "chmod o-w"}};
         },
         Is::wrong, "/etc/berth/slurm.conf can be changed by everybody", "chmod o-w"},
    });
}

TEST(Doctor, SaysOfNodesServicesAndJobsWhatIsWrongAndHowToMendIt) {
    expect_symptoms({
        {[](Installation& it) { it.host.missing_controllers = {"cpuset", "memory"}; }, Is::wrong,
         "cgroup v2 has no cpuset, memory here", "Delegate=yes"},
        {[](Installation& it) { it.host.wants_pam = true; }, Is::wrong,
         "this host has no PAM service slurm", "/etc/pam.d/slurm"},
        {[](Installation& it) {
             it.host.has_launcher = true;
             it.host.launcher_trouble = "Connection refused";
         },
         Is::wrong, "berth-launcher does not listen on this host: Connection refused",
         "systemctl start berth-launcher"},
        {[](Installation& it) {
             it.host.controller_port = "head:6817";
             it.host.port_trouble = "Connection timed out";
         },
         Is::wrong, "head:6817, cannot be reached: Connection timed out", "firewall"},
        {[](Installation& it) {
             it.now = from_seconds(1000);
             it.host.authority_until = from_seconds(1000 + 86'400 * 30);
         },
         Is::worth_knowing, "the cluster's authority (/var/lib/berth/keys/ca.pem) ends in 30 days",
         "join again"},
        {[](Installation& it) { it.waiting = {{"launch failed requeued held", 2}}; },
         Is::worth_knowing, "2 jobs wait with launch failed requeued held", "scontrol release"},
        {[](Installation& it) {
             it.nodes.push_back(node("n5", "IDLE", {"DRAIN"}));
             it.nodes.back().reason = "Low RealMemory (reported:1 < 100.00% of configured:2)";
         },
         Is::wrong, "n5 has less than it is configured with: Low RealMemory", "berth detect"},
    });
    Installation busy = healthy();  // Waiting is what a queue is for.
    busy.waiting = {{"Resources", 100}, {"Priority", 100}};
    EXPECT_EQ(diagnose(busy).size(), diagnose(healthy()).size());
}

class DoctorFiles : public ::testing::Test {
protected:
    DoctorFiles() {
        std::string name = ::testing::TempDir() + "doctor-XXXXXX";
        folder_ = ::mkdtemp(name.data());
        std::filesystem::create_directories(folder_ + "/state/keys");
        std::filesystem::create_directories(folder_ + "/etc");
    }
    ~DoctorFiles() override { std::filesystem::remove_all(folder_); }

    std::string file(const std::string& name, mode_t mode, const std::string& text = "x") {
        std::ofstream(folder_ + "/" + name) << text;
        EXPECT_EQ(::chmod((folder_ + "/" + name).c_str(), mode), 0);
        return folder_ + "/" + name;
    }

    std::string folder_;
};

TEST_F(DoctorFiles, AreLookedAtAsTheDaemonsWould) {
    EXPECT_EQ(trouble_with_program(file("ok", 0755)), "");
    EXPECT_EQ(trouble_with_program(file("open", 0775)), "can be changed by others (chmod go-w)");
    EXPECT_EQ(trouble_with_program(file("plain", 0644)), "is not executable (chmod +x)");
    EXPECT_EQ(trouble_with_program(folder_), "is no file");
    EXPECT_EQ(trouble_with_program(folder_ + "/none"), "is not there");
    EXPECT_EQ(trouble_with_secret(file("secret", 0600)), "");
    EXPECT_EQ(trouble_with_secret(file("shared", 0640)), "holds a secret, and others may read it");
    EXPECT_EQ(missing_controllers("cpuset cpu io memory hugetlb pids rdma\n"),
              std::vector<std::string>{});
    EXPECT_EQ(missing_controllers("cpu pids"), (std::vector<std::string>{"cpuset", "memory"}));
}

TEST_F(DoctorFiles, EachThatIsWrongIsFound) {
    HostPlaces places{.config = folder_ + "/etc", .state = folder_ + "/state"};
    places.agent_state = folder_ + "/agent";
    places.agent_defaults = file("defaults", 0644, "# x\nBERTH_CONTROLLER=\"127.0.0.1:1\"\n");
    places.launcher_unit = file("launcher.service", 0644);
    places.launcher_socket = folder_ + "/no.sock";
    places.pam_service = folder_ + "/pam";
    places.is_root = true;
    file("etc/slurm.conf", 0664);  // Its group is others, too.
    file("state/berth.db", 0602);
    file("state/keys/ca.key", 0644);
    ClusterSpec spec;
    spec.settings = {{"UsePAM", "1"}};
    spec.notifications.mail_program = folder_ + "/mail";
    spec.notifications.webhook_secret_file = folder_ + "/none";
    spec.hooks.controller_prolog = {file("prolog", 0644)};
    const HostFacts facts = look_at_host(places, spec);
    std::vector<std::string> files, programs;
    for (const HostFacts::File& one : facts.files) files.push_back(one.path);
    for (const HostFacts::Program& one : facts.programs) programs.push_back(one.key);
    EXPECT_EQ(files, (std::vector<std::string>{folder_ + "/none", folder_ + "/etc/slurm.conf",
                                               folder_ + "/state/berth.db",
                                               folder_ + "/state/keys/ca.key"}));
    EXPECT_EQ(facts.files[1].mend, "chmod go-w " + folder_ + "/etc/slurm.conf");
    EXPECT_EQ(programs, (std::vector<std::string>{"MailProg", "PrologSlurmctld"}));
    EXPECT_FALSE(facts.programs[0].is_default);
    EXPECT_TRUE(facts.sync_micros);
    EXPECT_TRUE(facts.wants_pam && !facts.has_pam_service);
    EXPECT_TRUE(facts.has_launcher);
    EXPECT_EQ(facts.launcher_trouble, "No such file or directory");
    EXPECT_EQ(facts.controller_port, "127.0.0.1:1");
    EXPECT_EQ(facts.port_trouble, "Connection refused");
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
         "n1 are down, set so by an administrator", "State=RESUME"},
        {[&](Installation& it) { it.nodes.push_back(of_version("0.9")); }, Is::wrong,
         "n3 run an agent of another version", "restart berth-agent"},
        {[&](Installation& it) { it.nodes.push_back(drained()); }, Is::worth_knowing,
         "n4 is drained: ECC", "NodeName=n4 State=RESUME"},
        {[](Installation& it) { it.has_state = false; }, Is::worth_knowing,
         "there is no database in /var/lib/berth", "--state"},
        {[](Installation& it) { it.free_bytes = 100 << 20; }, Is::wrong,
         "100 MiB are free at /var/lib/berth: submissions are refused", "free space"},
        {[](Installation& it) { it.free_bytes = 500 << 20; }, Is::worth_knowing, "500 MiB are free",
         "below 128"},
        {[](Installation& it) { it.others_may_read_state = true; }, Is::wrong,
         "everyone can read /var/lib/berth", "chmod o-rwx /var/lib/berth"},
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
        {until(24), Is::worth_knowing, "expires in 24 days", "look at its log"},
        {until(0), Is::wrong, "has expired", "berth token create --node gpu1"},
        {[](Installation& all) { all.certificate_trouble = "chmod 600 x"; }, Is::wrong,
         "cannot be used: chmod 600 x", "join again"},
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
