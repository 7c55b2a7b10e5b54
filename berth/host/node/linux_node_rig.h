// For tests: a LinuxNode on this machine with its own folders and cgroups, all removed at the end;
// jobs made of shell text; and waiting for events.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>

#include "berth/host/cgroup/cgroup_rig.h"
#include "berth/host/node/linux_node.h"
#include "berth/host/run/run_directory.h"

namespace berth {

class StderrLog : public LogSink {
public:
    void write(LogLevel level, std::string_view, std::string_view text) override {
        if (level >= LogLevel::warning) {
            std::fprintf(stderr, "host: %.*s\n", static_cast<int>(text.size()), text.data());
        }
    }
};

class LinuxNodeRig {
public:
    LinuxNodeRig() {
        char name[] = "/tmp/berth-node.XXXXXX";
        folder = mkdtemp(name);
        chmod(folder.c_str(), 0755);
        work = folder + "/work";
        mkdir(work.c_str(), 0777);
        chmod(work.c_str(), 0777);
        options.node.name = "gpu1";
        options.node.sockets = 2;
        options.node.cores_per_socket = 64;
        options.run_dir = folder + "/runs";
        options.shepherd = BERTH_STEP;
        options.cgroup_prefix = CgroupRig::prefix();
        options.environment = {"BERTH_SOCKET=/run/berth.sock"};
    }
    ~LinuxNodeRig() {
        if (!node) open();
        for (const AttemptFolder& one : list_attempts(options.run_dir)) {
            const RunKey all{one.job, one.attempt, kExternStep};
            std::erase_if(seen, [&](const AgentEvent& event) {
                const auto* empty = std::get_if<RunEmpty>(&event);
                return empty != nullptr && empty->run == all;
            });
            for (int i = 0; i < 300 && !saw<RunEmpty>(all); ++i) {
                node->act(SignalRun{all, SIGKILL, true});
                pump(10);
            }
            node->act(RemoveAttempt{one.job, one.attempt});
        }
        for (int i = 0; i < 100 && !list_attempts(options.run_dir).empty(); ++i) pump(10);
        node.reset();
        std::filesystem::remove_all(folder);
    }

    void open() {
        auto opened = LinuxNode::open(options, log);
        ASSERT_TRUE(opened.ok()) << opened.error().message;
        node = std::move(opened).value();
    }
    // The agent dies, and another one takes over.
    void reopen() {
        node.reset();
        seen.clear();
        open();
    }

    LaunchAttempt job(std::uint32_t id, const std::string& shell) const {
        LaunchAttempt launch;
        launch.job = JobId{id};
        launch.attempt = Attempt{1};
        launch.batch_host = true;
        launch.owner = {uid, gid, user, group};
        launch.cluster = "test";
        launch.partition = "main";
        launch.spec.name = "job";
        launch.spec.command.edit().work_dir = work;
        launch.spec.command.edit().std_out = "out";
        launch.payload.script = "#!/bin/sh\n" + shell + "\n";
        launch.node_names = {"gpu1"};
        launch.share.cpus = launch.share.tasks = 1;
        launch.share.cores = BitSet(options.node.cores());
        launch.shares = {launch.share};
        launch.confinement.memory = launch.confinement.devices = true;
        return launch;
    }
    LaunchStep step(const LaunchAttempt& attempt, std::uint32_t id, std::uint32_t tasks,
                    const std::string& shell) const {
        LaunchStep launch;
        launch.job = attempt.job;
        launch.attempt = attempt.attempt;
        launch.step = StepId{id};
        launch.tasks = tasks;
        launch.tasks_per_node = {tasks};
        launch.node_names = attempt.node_names;
        launch.arguments = {"/bin/sh", "-c", shell};
        launch.environment = {"PATH=/usr/bin:/bin"};
        launch.work_dir = work;
        launch.share.cores = attempt.share.cores;
        launch.share.devices = attempt.share.devices;
        for (std::uint32_t rank = 0; rank < tasks; ++rank) {
            launch.share.tasks.push_back({rank, attempt.share.cores, attempt.share.devices});
        }
        return launch;
    }

    static RunKey batch(std::uint32_t id) { return {JobId{id}, Attempt{1}, kBatchStep}; }
    static RunKey whole(std::uint32_t id) { return {JobId{id}, Attempt{1}, kExternStep}; }
    static RunKey step_key(std::uint32_t id, std::uint32_t step) {
        return {JobId{id}, Attempt{1}, StepId{step}};
    }

    void start(const LaunchAttempt& launch) { node->act(StartAttempt{launch}); }
    void signal(const RunKey& run, int number, bool all = true) {
        node->act(SignalRun{run, number, all});
    }

    void pump(int milliseconds) {
        pollfd waiting{node->fd(), POLLIN, 0};
        poll(&waiting, 1, milliseconds);
        for (AgentEvent& event : node->take_events()) seen.push_back(std::move(event));
    }

    template <class Event>
    const Event* find(const RunKey& run) const {
        for (const AgentEvent& event : seen) {
            const auto* one = std::get_if<Event>(&event);
            if (one != nullptr && one->run == run) return one;
        }
        return nullptr;
    }
    template <class Event>
    bool saw(const RunKey& run) const {
        return find<Event>(run) != nullptr;
    }
    // Fails the test if the event does not come.
    template <class Event>
    Event wait(const RunKey& run, std::chrono::seconds most = std::chrono::seconds(20)) {
        const auto until = std::chrono::steady_clock::now() + most;
        while (!saw<Event>(run) && std::chrono::steady_clock::now() < until) pump(50);
        const Event* found = find<Event>(run);
        const auto* failed = find<RunFailedToStart>(run);
        EXPECT_NE(found, nullptr) << "waited in vain"
                                  << (failed != nullptr ? ": " + failed->why : "");
        return found != nullptr ? *found : Event{run};
    }
    bool wait_for_file(const std::string& path, int milliseconds = 30'000) {
        for (; milliseconds > 0; milliseconds -= 10) {
            if (std::filesystem::exists(path)) return true;
            pump(10);
        }
        return false;
    }

    std::string text(const std::string& name) const {
        const auto bytes = read_file(name.starts_with('/') ? name : work + "/" + name);
        return bytes.ok() ? *bytes : "(" + bytes.error().message + ")";
    }
    std::vector<std::string> lines(const std::string& name) const {
        std::vector<std::string> all;
        std::ifstream file(name.starts_with('/') ? name : work + "/" + name);
        for (std::string line; std::getline(file, line);) all.push_back(line);
        return all;
    }

    static bool is_root() { return geteuid() == 0; }

    // If we are root, jobs run as another user, so that the tests show what only root can do.
    std::uint32_t uid = is_root() ? 65534 : geteuid();
    std::uint32_t gid = is_root() ? 65534 : getegid();
    std::string user = is_root() ? "nobody" : "", group = is_root() ? "nogroup" : "";
    std::string folder, work;
    LinuxNodeOptions options;
    StderrLog log;
    std::unique_ptr<LinuxNode> node;
    std::deque<AgentEvent> seen;
};

}  // namespace berth
