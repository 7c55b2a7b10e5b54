#include "bench/live_daemon.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "apps/daemon/cluster_config.h"
#include "berth/client/client.h"

namespace berth::bench {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kDaemonPatience{120};

std::string make_directory() {
    const char* const base = std::getenv("TMPDIR");
    std::string path = std::string(base == nullptr ? "/tmp" : base) + "/berth-control-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) give_up("cannot make a directory like " + path);
    chmod(path.c_str(), 0755);  // Other users reach the socket in it.
    for (const char* const part : {"/state", "/config"}) mkdir((path + part).c_str(), 0700);
    return path;
}

// CPU time in milliseconds, from a stat file of /proc.
double cpu_of(const std::string& file) {
    std::ifstream in(file);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 2)));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;  // State … cmajflt.
    double user = 0, system = 0;
    fields >> user >> system;
    return (user + system) * 1e3 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

void give_up(const std::string& why) {
    std::fprintf(stderr, "control_bench: %s\n", why.c_str());
    std::_Exit(1);
}

double milliseconds_since(steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(steady_clock::now() - start).count();
}

std::string program(const std::string& name) { return std::string(BERTH_BENCH_BIN) + '/' + name; }

LiveDaemon::LiveDaemon(LiveSettings settings) : root_(make_directory()) {
    write_configuration(settings);
    SilentLog log;
    Result<ClusterSpec> spec = read_cluster_config(root_ + "/config", {}, log);
    if (!spec.ok()) give_up(spec.error().message);
    spec_ = std::move(spec).value();
}

LiveDaemon::~LiveDaemon() {
    kill();
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
}

void LiveDaemon::write_configuration(const LiveSettings& settings) const {
    std::ofstream conf(root_ + "/config/slurm.conf");
    conf << "ClusterName=bench\nSlurmctldHost=localhost\nGresTypes=gpu\n"
         << "PriorityType=priority/multifactor\nPriorityWeightAge=1000\n"
         << "PriorityWeightFairshare=100000\nPriorityWeightJobSize=1000\n"
         << "PriorityWeightPartition=1000\nPriorityWeightQOS=1000\nPriorityDecayHalfLife=7-0\n"
         << "AccountingStorageTRES=gres/gpu\nSchedulerType=sched/backfill\n"
         << "SchedulerParameters=bf_max_job_test=" << settings.plan_depth << "\n"
         << "MaxJobCount=2000000\nMaxArraySize=10001\nMinJobAge=300\n"
         << "NodeName=node[1-" << settings.nodes
         << "] NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=64 Sockets=1 CoresPerSocket=64"
            " ThreadsPerCore=1 RealMemory=1000000 Gres=gpu:a100:8\n"
         << "PartitionName=main Nodes=ALL Default=YES DefaultTime=1:00:00 MaxTime=7-00:00:00"
            " State=UP TRESBillingWeights=CPU=1,GRES/gpu=8\n";
    std::ofstream(root_ + "/config/gres.conf") << "# Made-up GPUs have no file.\n";
    std::ofstream yaml(root_ + "/config/berth.yaml");
    yaml << "accounts:\n";
    for (std::uint32_t i = 0; i < kUsers; ++i) {
        yaml << "  - {name: a" << i << ", shares: " << 1 + i % 7 << ", users: [{name: \""
             << kFirstUid + i << "\", shares: 1}, {name: root, shares: 1}]}\n";
    }
}

std::chrono::milliseconds LiveDaemon::start() {
    std::vector<std::string> words{
        program("berthd"),    "--state", state(),          "--config",     root_ + "/config",
        "--socket",           socket(),  "--agent-socket", agent_socket(), "--log-file",
        root_ + "/berthd.log"};
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const auto begun = steady_clock::now();
    pid_ = fork();
    if (pid_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // It must not outlive the bench.
        execv(words.front().c_str(), arguments.data());
        _exit(127);
    }
    if (pid_ < 0) give_up("cannot run " + words.front());
    Client client(Endpoint{socket()}, {.retry_for = std::chrono::milliseconds(0)});
    while (!client.ping().ok()) {
        if (!is_alive()) {
            std::ifstream log(root_ + "/berthd.log");
            give_up("berthd does not start: " +
                    std::string((std::istreambuf_iterator<char>(log)), {}));
        }
        if (steady_clock::now() - begun > kDaemonPatience) give_up("berthd does not answer");
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds_since(begun)));
}

bool LiveDaemon::is_alive() const { return pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == 0; }

void LiveDaemon::kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
}

LiveDaemon::Cost LiveDaemon::cost() const {
    const std::string process = "/proc/" + std::to_string(pid_);
    Cost cost{.all_ms = cpu_of(process + "/stat"),
              .controller_ms = cpu_of(process + "/task/" + std::to_string(pid_) + "/stat")};
    std::ifstream memory(process + "/statm");
    std::int64_t size = 0, resident = 0;
    memory >> size >> resident;
    cost.memory_mb = resident * sysconf(_SC_PAGESIZE) >> 20;
    return cost;
}

LiveDaemon::Cost LiveDaemon::Cost::since(const Cost& before) const {
    return {all_ms - before.all_ms, controller_ms - before.controller_ms, memory_mb};
}

}  // namespace berth::bench
