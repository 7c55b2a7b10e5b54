#include "berth/host/cgroup/cgroup_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "berth/base/text.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/process.h"

namespace berth {
namespace {

constexpr const char* kUnifiedParent = "/system.slice/slurmstepd.scope";

std::string first_line(const std::string& path) {
    const auto text = read_file(path);
    return text.ok() ? std::string(trim(*text)) : std::string();
}

// The folders from `root` (excluded) down to `path`.
std::vector<std::string> levels(const std::string& root, const std::string& path) {
    std::vector<std::string> all;
    for (std::size_t slash = path.find('/', root.size() + 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
        all.push_back(path.substr(0, slash));
    }
    all.push_back(path);
    return all;
}

Status make_level(const std::string& folder) {
    if (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return Done{};
    return system_error("cannot make the cgroup " + folder, errno);
}

// A new v1 cpuset has no CPUs and no memory nodes. Until it has both, it accepts no process.
Status inherit_cpuset(const std::string& folder, const std::string& parent) {
    for (const char* file : {"/cpuset.mems", "/cpuset.cpus"}) {
        if (!first_line(folder + file).empty()) continue;
        BERTH_CHECK(write_kernel_file(folder + file, first_line(parent + file)));
    }
    return Done{};
}

std::string parent_of(const std::string& folder) { return folder.substr(0, folder.rfind('/')); }

void collect_processes(const std::string& folder, std::set<int>& pids) {
    if (const auto text = read_file(folder + "/cgroup.procs"); text.ok()) {
        for (const std::string_view line : split(trim(*text), '\n')) {
            const auto pid = parse_int64(line);
            if (pid.ok() && *pid > 0) pids.insert(static_cast<int>(*pid));
        }
    }
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
        std::error_code unknown;
        if (entry.is_directory(unknown)) collect_processes(entry.path().string(), pids);
    }
}

// The hierarchy that tracks which processes belong to the group.
std::string membership(const Cgroup& group) {
    if (!group.unified.empty()) return group.unified;
    for (const char* controller : {"freezer", "pids", "memory", "devices", "cpuset"}) {
        const auto found = group.v1.find(controller);
        if (found != group.v1.end()) return found->second;
    }
    return {};
}

Status remove_folders(const std::string& folder) {
    std::error_code failed;
    std::vector<std::string> children;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
        std::error_code unknown;
        if (entry.is_directory(unknown)) children.push_back(entry.path().string());
    }
    for (const std::string& child : children) BERTH_CHECK(remove_folders(child));
    if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) return Done{};
    return system_error("cannot remove the cgroup " + folder, errno);
}

void freeze_v1(const std::string& freezer) {
    if (!write_kernel_file(freezer + "/freezer.state", "FROZEN").ok()) return;
    for (int i = 0; i < 50 && first_line(freezer + "/freezer.state") != "FROZEN"; ++i) {
        ::usleep(1000);
    }
}

void thaw(const Cgroup& group) {
    if (const auto found = group.v1.find("freezer"); found != group.v1.end()) {
        (void)write_kernel_file(found->second + "/freezer.state", "THAWED");
    }
}

// The value of a line such as "oom_kill 3" in the file.
std::int64_t counter(const std::string& file, std::string_view name) {
    const auto text = read_file(file);
    if (!text.ok()) return 0;
    for (const std::string_view line : split(*text, '\n')) {
        const auto words = split(line, ' ');
        if (words.size() == 2 && words[0] == name) return parse_int64(words[1]).value_or(0);
    }
    return 0;
}

}  // namespace

Cgroup Cgroup::child(const std::string& name) const {
    Cgroup below = *this;
    for (auto& [controller, folder] : below.v1) folder += "/" + name;
    if (!below.unified.empty()) below.unified += "/" + name;
    return below;
}

CgroupTree::CgroupTree(const CgroupMounts& mounts, const std::string& prefix) {
    for (const auto& [controller, point] : mounts.v1) {
        if (::access(point.c_str(), W_OK) == 0) roots_.v1[controller] = point;
    }
    if (!mounts.unified.empty() && ::access(mounts.unified.c_str(), W_OK) == 0) {
        roots_.unified = mounts.unified;
    }
    const std::string below = prefix.empty() ? "" : "/" + prefix;
    for (const auto& [controller, point] : roots_.v1) {
        jobs_.v1[controller] = point + below + "/slurm";
    }
    if (!roots_.unified.empty()) jobs_.unified = roots_.unified + below + kUnifiedParent;
    const std::string offered = first_line(roots_.unified + "/cgroup.controllers");
    for (const std::string_view name : split(offered, ' ')) {
        if (name == "cpuset" || name == "memory" || name == "pids") {
            v2_controllers_.emplace_back(name);
        }
    }
}

bool CgroupTree::has(const std::string& controller) const {
    return roots_.v1.contains(controller) ||
           std::ranges::find(v2_controllers_, controller) != v2_controllers_.end();
}

Cgroup CgroupTree::job(std::uint32_t uid, JobId job) const {
    Cgroup group = jobs_;
    const std::string name = "/job_" + to_string(job);
    for (auto& [controller, folder] : group.v1) folder += "/uid_" + std::to_string(uid) + name;
    if (!group.unified.empty()) group.unified += name;
    return group;
}

Cgroup CgroupTree::service(const std::string& name) const { return jobs_.child(name); }

Cgroup CgroupTree::step(const Cgroup& job, StepId step) { return job.child(step_name(step)); }

std::string CgroupTree::step_name(StepId step) {
    if (step == kBatchStep) return "step_batch";
    if (step == kExternStep) return "step_extern";
    return "step_" + to_string(step);
}

// Tries the group alone first. Its parents are missing only for a user's first job, and checking
// each level for each job costs more than everything else.
Status CgroupTree::create(const Cgroup& group) const {
    for (const auto& [controller, folder] : group.v1) {
        const bool is_cpuset = controller == "cpuset";
        if (make_level(folder).ok() &&
            (!is_cpuset || inherit_cpuset(folder, parent_of(folder)).ok()))
            continue;
        for (const std::string& level : levels(roots_.v1.at(controller), folder)) {
            BERTH_CHECK(make_level(level));
            if (is_cpuset) BERTH_CHECK(inherit_cpuset(level, parent_of(level)));
        }
    }
    if (group.unified.empty() || make_unified(group.unified).ok()) return Done{};
    for (const std::string& level : levels(roots_.unified, group.unified))
        BERTH_CHECK(make_unified(level));
    return Done{};
}

// Creates one level, after enabling the controllers in its parent.
Status CgroupTree::make_unified(const std::string& folder) const {
    std::string enable;
    for (const std::string& name : v2_controllers_) enable += (enable.empty() ? "+" : " +") + name;
    if (!enable.empty())
        BERTH_CHECK(write_kernel_file(parent_of(folder) + "/cgroup.subtree_control", enable));
    return make_level(folder);
}

namespace {

Status limit_v1(const Cgroup& group, const CgroupLimits& limits) {
    const auto write = [&](const char* controller, const char* file,
                           const std::string& text) -> Status {
        const auto folder = group.v1.find(controller);
        if (folder == group.v1.end()) return Done{};
        return write_kernel_file(folder->second + "/" + file, text);
    };
    if (!limits.cpus.empty()) BERTH_CHECK(write("cpuset", "cpuset.cpus", limits.cpus));
    if (limits.pids) BERTH_CHECK(write("pids", "pids.max", std::to_string(*limits.pids)));
    if (limits.memory) {
        BERTH_CHECK(write("memory", "memory.limit_in_bytes", std::to_string(*limits.memory)));
    }
    if (limits.memory_and_swap && group.v1.contains("memory")) {
        // Absent if the kernel does not account swap: then only the memory limit applies.
        const std::string file = group.v1.at("memory") + "/memory.memsw.limit_in_bytes";
        if (::access(file.c_str(), F_OK) == 0) {
            BERTH_CHECK(write_kernel_file(file, std::to_string(*limits.memory_and_swap)));
        }
    }
    return Done{};
}

Status limit_v2(const std::string& folder, const CgroupLimits& limits, const auto& offered) {
    if (!limits.cpus.empty() && offered("cpuset")) {
        BERTH_CHECK(write_kernel_file(folder + "/cpuset.cpus", limits.cpus));
    }
    if (limits.pids && offered("pids")) {
        BERTH_CHECK(write_kernel_file(folder + "/pids.max", std::to_string(*limits.pids)));
    }
    if (!limits.memory || !offered("memory")) return Done{};
    BERTH_CHECK(write_kernel_file(folder + "/memory.max", std::to_string(*limits.memory)));
    const std::string swap = folder + "/memory.swap.max";
    if (limits.memory_and_swap && ::access(swap.c_str(), F_OK) == 0) {
        BERTH_CHECK(
            write_kernel_file(swap, std::to_string(*limits.memory_and_swap - *limits.memory)));
    }
    return Done{};
}

}  // namespace

Status CgroupTree::limit(const Cgroup& group, const CgroupLimits& limits) const {
    BERTH_CHECK(limit_v1(group, limits));
    if (group.unified.empty()) return Done{};
    return limit_v2(group.unified, limits, [this](std::string_view controller) {
        return std::ranges::find(v2_controllers_, controller) != v2_controllers_.end();
    });
}

bool CgroupTree::populated(const Cgroup& group) {
    if (group.unified.empty()) return !processes(group).empty();
    return counter(group.unified + "/cgroup.events", "populated") > 0;
}

std::vector<int> CgroupTree::processes(const Cgroup& group) {
    std::set<int> pids;
    if (const std::string folder = membership(group); !folder.empty()) {
        collect_processes(folder, pids);
    }
    return {pids.begin(), pids.end()};
}

void CgroupTree::signal(const Cgroup& group, int signal) {
    signal_each([&] { return processes(group); }, signal);
}

bool CgroupTree::freeze(const Cgroup& group, bool frozen) {
    if (const auto found = group.v1.find("freezer"); found != group.v1.end()) {
        frozen ? freeze_v1(found->second) : thaw(group);
        return true;
    }
    return !group.unified.empty() &&
           write_kernel_file(group.unified + "/cgroup.freeze", frozen ? "1" : "0").ok();
}

bool CgroupTree::frozen(const Cgroup& group) {
    if (const auto found = group.v1.find("freezer"); found != group.v1.end()) {
        const std::string state = first_line(found->second + "/freezer.state");
        // It may have missed a process that was just being forked, and then stays like this: the
        // kernel's documentation has its users ask again.
        if (state == "FREEZING")
            (void)write_kernel_file(found->second + "/freezer.state", "FROZEN");
        return state == "FROZEN";
    }
    return !group.unified.empty() && counter(group.unified + "/cgroup.events", "frozen") > 0;
}

void CgroupTree::kill(const Cgroup& group) {
    const bool killed =
        !group.unified.empty() && write_kernel_file(group.unified + "/cgroup.kill", "1").ok();
    if (!killed) {
        if (const auto found = group.v1.find("freezer"); found != group.v1.end()) {
            freeze_v1(found->second);
        }
        signal(group, SIGKILL);
    }
    thaw(group);
}

std::int64_t CgroupTree::oom_kills(const Cgroup& group) {
    if (const auto found = group.v1.find("memory"); found != group.v1.end()) {
        return counter(found->second + "/memory.oom_control", "oom_kill");
    }
    return group.unified.empty() ? 0 : counter(group.unified + "/memory.events", "oom_kill");
}

Status CgroupTree::remove(const Cgroup& group) {
    for (const auto& [controller, folder] : group.v1) BERTH_CHECK(remove_folders(folder));
    return group.unified.empty() ? Done{} : remove_folders(group.unified);
}

void CgroupTree::remove_empty_parents(const Cgroup& job) const {
    const auto climb = [](const std::string& root, std::string folder) {
        for (folder = parent_of(folder); folder.size() > root.size(); folder = parent_of(folder)) {
            if (::rmdir(folder.c_str()) != 0) return;  // Not empty: it has other groups.
        }
    };
    for (const auto& [controller, folder] : job.v1) climb(roots_.v1.at(controller), folder);
    if (!job.unified.empty()) climb(roots_.unified, job.unified);
}

}  // namespace berth
