#include "berth/host/node/linux_node_parts.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "berth/agent/signals.h"
#include "berth/base/text.h"
#include "berth/host/cgroup/device_files.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/process.h"
#include "berth/host/os/user.h"

namespace berth {

namespace {
constexpr const char* kMpsProgram = "/usr/bin/nvidia-cuda-mps-control";
constexpr std::size_t kNamesShown = 5;
constexpr const char* kInotifyMost = "/proc/sys/fs/inotify/max_user_instances";
}  // namespace

LinuxNodeParts::LinuxNodeParts(LinuxNodeOptions wanted, LogSink& sink)
    : options(std::move(wanted)),
      log(sink),
      confinement(options),
      mps(options.run_dir + "/mps", options.mps_program.empty() ? kMpsProgram : options.mps_program,
          [this](const MpsKey& key) { return mps_group(key); }) {
    utsname machine{};
    if (::uname(&machine) == 0) hostname = machine.nodename;
    unisolated = confinement.not_isolated();
    find_mig_instances(options.node);
}

void LinuxNodeParts::find_mig_instances(NodeSpec& node) {
    if (options.emulated || std::ranges::none_of(node.devices, is_mig)) return;
    Result<std::unique_ptr<GpuInventory>> driver =
        open_nvml(options.nvml.c_str(), options.mig_minors.c_str());
    const Result<std::vector<FoundGpu>> found =
        driver.ok() ? (*driver)->gpus() : Result<std::vector<FoundGpu>>(driver.error());
    if (found.ok()) name_mig_instances(node, *found);
    for (const Device& device : node.devices) {
        if (!is_mig(device) || !device.uuid.empty()) continue;
        log.write(LogLevel::warning, "host",
                  "gpu " + std::to_string(device.index) + " (" + device.file + "): " +
                      (found.ok() ? "no MIG instance of the driver's has these files"
                                  : found.error().message) +
                      "; CUDA_VISIBLE_DEVICES cannot name it");
    }
}

Status LinuxNodeParts::open() {
    if (::access(options.shepherd.c_str(), X_OK) != 0) {
        return system_error("cannot run the shepherd " + options.shepherd, errno);
    }
    BERTH_CHECK(make_folders(options.run_dir));
    if (const auto closed = closed_to_others(options.run_dir); closed && ::geteuid() == 0) {
        unisolated.push_back("jobs of users other than root cannot run: they may not pass " +
                             *closed + " to reach their scripts (chmod o+x)");
    }
    epoll.reset(::epoll_create1(EPOLL_CLOEXEC));
    folders.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    timer.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    pending.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!folders) {  // For example with many nodes on one machine; the run folders are then polled.
        log.write(LogLevel::warning, "host",
                  "jobs' ends are noticed up to 0.1 s late: this user has as many inotify "
                  "instances as fs.inotify.max_user_instances allows (" +
                      std::string(trim(read_file(kInotifyMost).value_or("?"))) +
                      "): raise it by sysctl");
    }
    if (!epoll || !timer || !pending) {
        return system_error("cannot make the descriptors to watch jobs with", errno);
    }
    BERTH_CHECK(mps.open());
    for (const int one : {folders.get(), timer.get(), pending.get(), mps.fd()}) {
        epoll_event wanted{};
        wanted.events = EPOLLIN;
        wanted.data.u64 = ++next_number;
        if (one >= 0 && ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, one, &wanted) != 0) {
            return system_error("epoll_ctl", errno);
        }
    }
    adopt();
    adopt_mps();
    arm_timer();
    return Done{};
}

NodeView LinuxNodeParts::view_for(const ConfinementSpec& wanted) const {
    NodeView view;
    view.node = options.node;
    view.dimensions = options.dimensions;
    view.hostname = hostname;
    if (confinement.pins_cores(wanted)) view.cpus_of_core = options.cpus_of_core;
    view.devices_isolated = confinement.isolates_devices(wanted);
    view.environment = options.environment;
    return view;
}

Result<UserRecord> LinuxNodeParts::user_of(const Owner& owner) const {
    if (::geteuid() != 0 && owner.uid != ::geteuid()) {
        return Error{ErrorCode::permission_denied,
                     "this agent runs as uid " + std::to_string(::geteuid()) +
                         " and not as root, so it cannot run the jobs of " + owner.user + " (uid " +
                         std::to_string(owner.uid) + ")"};
    }
    return find_user(owner.uid);
}

namespace {

// If the controller does not know a device's file, the node's own configuration may: some sites
// keep it on the node only, and a device without a file is not isolated.
void keep_files(NodeSetup& setup, const LinuxNodeOptions& known) {
    for (Device& device : setup.node.devices) {
        const std::string& name = setup.dimensions.at(device.dimension).name;
        const auto own = std::ranges::find_if(known.node.devices, [&](const Device& one) {
            return one.index == device.index && known.dimensions.at(one.dimension).name == name;
        });
        if (!device.file.empty() || own == known.node.devices.end()) continue;
        device.file = own->file;
        if (device.uuid.empty()) device.uuid = own->uuid;
    }
}

}  // namespace

// Live runs keep what they were given.
void LinuxNodeParts::configure(NodeSetup setup) {
    const auto known = [&](const Device& device) {
        return device.dimension.index() < setup.dimensions.size();
    };
    if (!std::ranges::all_of(setup.node.devices, known)) {
        return log.write(LogLevel::error, "host",
                         "the controller's description of the node has "
                         "devices of no kind: it stays as it was");
    }
    keep_files(setup, options);
    find_mig_instances(setup.node);
    if (setup.node == options.node && setup.dimensions == options.dimensions) return;
    if (options.find_cpus) options.cpus_of_core = options.find_cpus(setup.node);
    options.node = std::move(setup.node);
    options.dimensions = setup.dimensions;
    confinement.look_at_devices();
    log.write(LogLevel::info, "host", "the node is as the controller describes it now");
}

// ---- Signals.

void LinuxNodeParts::signal_run(const SignalRun& order) {
    const bool whole_job = order.run.step == kExternStep;
    Place* const place = claim({order.run.job, order.run.attempt});
    if (!order.whole) {
        if (const auto run = runs.find(order.run); run != runs.end()) {
            signal_main(run->second, order.signal);
        }
        return;
    }
    if (place == nullptr) return tell(RunEmpty{order.run});
    reset_look = true;
    if (!whole_job) {
        const auto run = runs.find(order.run);
        if (run == runs.end()) return tell(RunEmpty{order.run});
        run->second.empty_due = true;
        return signal_all(run->second, order.signal);
    }
    place->empty_due = true;
    if (order.signal == SIGKILL) {
        tell_of_kill(order.run, *place);
    } else if (order.signal != SIGCONT && !place->told_to_end) {
        place->told_to_end = Clock::now();
    }
    // Under v1 a frozen process does not die, and the agent may have lost the record of the freeze.
    if (order.signal == SIGKILL) CgroupTree::freeze(place->group, false);
    for (auto& [key, run] : runs) {
        const bool own = key.job == order.run.job && key.attempt == order.run.attempt;
        if (own && !is_hook(key.step)) signal_all(run, order.signal);
    }
}

// Logs which processes delayed the end of a job.
void LinuxNodeParts::tell_of_kill(const RunKey& attempt, const Place& place) {
    if (!place.told_to_end) return;
    std::vector<int> left = CgroupTree::processes(place.group);
    for (const auto& [key, run] : runs) {
        const bool own = key.job == attempt.job && key.attempt == attempt.attempt;
        const auto shepherd = run.folder.shepherd();
        if (!own || is_hook(key.step) || !run.group.none() || run.gone || !shepherd) continue;
        const std::vector<int> below = descendants_of(shepherd->pid);
        left.insert(left.end(), below.begin(), below.end());
    }
    if (left.empty()) return;
    std::vector<std::string> names;
    for (const int pid : left) {
        if (names.size() == kNamesShown) break;
        const auto name = read_file("/proc/" + std::to_string(pid) + "/comm");
        names.push_back(std::to_string(pid) +
                        (name.ok() ? " " + std::string(trim(*name)) : std::string()));
    }
    const auto waited =
        std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - *place.told_to_end);
    log.write(LogLevel::warning, "host",
              "job " + to_string(attempt.job) + ": killing " + std::to_string(left.size()) +
                  (left.size() == 1 ? " process that is" : " processes that are") +
                  " still there " + std::to_string(waited.count()) +
                  " s after the signal to end: " + join(names, ", ") +
                  (names.size() < left.size() ? ", ..." : ""));
}

// Without a freezer, the present processes are stopped one by one.
void LinuxNodeParts::freeze_run(const FreezeRun& order) {
    const Place* const place = claim({order.run.job, order.run.attempt});
    if (place == nullptr || CgroupTree::freeze(place->group, order.frozen)) return;
    for (auto& [key, run] : runs) {
        const bool own = key.job == order.run.job && key.attempt == order.run.attempt;
        if (own && !is_hook(key.step)) signal_all(run, order.frozen ? SIGSTOP : SIGCONT);
    }
}

void LinuxNodeParts::notify_run(const NotifyRun& order) {
    const auto run = runs.find(order.run);
    if (run == runs.end() || run->second.gone) return;
    const auto shepherd = run->second.folder.shepherd();
    const Status left = run->second.folder.leave_notice(order.text);
    if (!left.ok()) return log.write(LogLevel::warning, "host", left.error().message);
    if (shepherd) send_signal(open_process(*shepherd), kNoticeSignal);
}

void LinuxNodeParts::signal_all(Run& run, int signal) const {
    if (!run.group.none()) {
        if (signal == SIGKILL) return CgroupTree::kill(run.group);
        return CgroupTree::signal(run.group, signal);
    }
    const auto shepherd = run.folder.shepherd();
    if (run.gone || !shepherd || mark_of(shepherd->pid) != shepherd) return;
    signal_each([&] { return descendants_of(shepherd->pid); }, signal);
}

void LinuxNodeParts::signal_main(const Run& run, int signal) const {
    const auto status = run.folder.status();
    if (!status || run.over) return;
    for (const ProcessMark& task : status->tasks) send_signal(open_process(task), signal);
}

void LinuxNodeParts::remove_attempt(Key key) {
    const auto place = places.find(key);
    if (place == places.end()) return;
    std::vector<RunKey> own;
    for (const auto& [run, known] : runs) {
        if (std::pair(run.job, run.attempt) == key) own.push_back(run);
    }
    for (const RunKey& run : own) forget_run(run);
    const Place gone = place->second;
    leftovers.push_back(std::move(place->second));
    places.erase(place);
    remove_leftovers();
    look_at_shared_memory(gone);
}

void LinuxNodeParts::forget_run(const RunKey& key) {
    const auto run = runs.find(key);
    if (run == runs.end()) return;
    if (run->second.watch >= 0) {
        ::inotify_rm_watch(folders.get(), run->second.watch);
        by_watch.erase(run->second.watch);
    }
    std::erase_if(by_number, [&](const auto& one) { return one.second == key; });
    runs.erase(run);
}

}  // namespace berth
