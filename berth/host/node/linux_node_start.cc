// How LinuxNode starts attempts, their steps, and the site's prolog and epilog, each under a
// shepherd of its own.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "berth/agent/signals.h"
#include "berth/base/codec.h"
#include "berth/host/node/linux_node_parts.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/process.h"
#include "berth/host/os/process_limit.h"
#include "berth/host/os/user.h"
#include "berth/host/run/hook_plan.h"
#include "berth/host/run/not_begun.h"
#include "berth/host/run/run_plan.h"
#include "berth/host/shepherd/shepherd.h"

namespace berth {

void LinuxNodeParts::start_attempt(const LaunchAttempt& launch) {
    const RunKey run{launch.job, launch.attempt, launch.batch_host ? kBatchStep : kExternStep};
    Status prepared = make_way(run);
    if (prepared.ok()) prepared = prepare_attempt(launch);
    if (!prepared.ok()) return refuse(run, prepared.error());
    if (!launch.batch_host) return tell(RunStarted{run});
    const auto user = user_of(launch.owner);
    Status started = user.ok()
                         ? start_run(batch_run(launch, view_of_job(launch), *user), launch, nullptr)
                         : Status(user.error());
    if (!started.ok()) refuse(run, started.error());
}

void LinuxNodeParts::refuse(const RunKey& run, const Error& why) {
    tell(RunFailedToStart{run, (is_hook(run.step) ? "did not start: " : "") + why.message,
                          not_begun_by(why)});
}

// An agent that died may already have started this run. A shepherd holds the run's lock from its
// creation, and writes its status before it lets the first of the user's programs run. Without lock
// and status nothing has run or ever will; otherwise the run is refused.
Status LinuxNodeParts::make_way(const RunKey& key) {
    const RunDirectory folder(options.run_dir + "/" + folder_of_attempt(key.job, key.attempt) +
                              "/" + folder_of_step(key.step));
    if (::access(folder.path().c_str(), F_OK) != 0) return Done{};
    const auto status = folder.status();
    if (status && !status->failure.empty()) return failure_of(*status);
    if (folder.is_locked() || status || folder.exit()) {
        return Error{ErrorCode::already_exists, "it was started on this node before"};
    }
    forget_run(key);
    return remove_tree(folder.path());
}

Status LinuxNodeParts::prepare_attempt(const LaunchAttempt& launch) {
    // The state file was damaged. An empty script would look like a job that failed.
    const bool wants_script = launch.batch_host && !launch.spec.command->interactive;
    if (wants_script && launch.payload.script.empty()) {
        return Error{ErrorCode::failed_precondition,
                     "the controller could not read its script: berthd's log says why"};
    }
    BERTH_TRY(const UserRecord user, user_of(launch.owner));
    BERTH_CHECK(on_node(make_place(launch)));
    BERTH_CHECK(on_node(confinement.confine_job(launch)));
    return need_mps(launch, user);
}

// Prologs and epilogs run outside the job's cgroup, so a daemon that they start survives the job.
void LinuxNodeParts::start_hook(const StartHook& start) {
    Status started = Done{};
    if (claim({start.run.job, start.run.attempt}) == nullptr) {
        const auto owner = user_of(start.launch.owner);
        started = owner.ok() ? on_node(make_place(start.launch)) : Status(owner.error());
    }
    if (started.ok()) {
        const Place& place = places.at({start.run.job, start.run.attempt});
        const std::string folder = place.folder + "/" + folder_of_step(start.run.step);
        // A shepherd that has recorded the exit is about to end and reports nothing more.
        if (const RunDirectory before(folder); before.is_locked() && !before.exit()) {
            started = Error{ErrorCode::already_exists, "it runs on this node already"};
        } else {
            forget_run(start.run);
            started = remove_tree(folder);
        }
        const NodeView view = view_for(start.launch.confinement);
        const auto agent = find_user(::geteuid());
        if (!agent) started = Status(agent.error());
        if (started.ok()) {
            started =
                start_run(hook_run(start, view, *agent, folder + ".out"), start.launch, nullptr);
        }
    }
    if (!started.ok()) refuse(start.run, started.error());
}

Status LinuxNodeParts::make_place(const LaunchAttempt& launch) {
    BERTH_TRY(const UserRecord user, user_of(launch.owner));
    Place place;
    place.folder = options.run_dir + "/" + folder_of_attempt(launch.job, launch.attempt);
    if (::mkdir(place.folder.c_str(), 0711) != 0 && errno != EEXIST) {
        return system_error("cannot make the folder " + place.folder, errno);
    }
    ::chmod(place.folder.c_str(), 0711);  // Regardless of the umask.
    BERTH_CHECK(write_atomically(place.folder + "/place", encode(user.uid)));
    BERTH_CHECK(note_user(place, user.uid, launch.confinement.remove_shared_memory));
    BERTH_CHECK(keep_token(launch, place.folder + "/token", user));
    if (confinement.usable()) {
        place.group = confinement.job_group(user.uid, launch.job);
        BERTH_CHECK(clear_group(place.group));
    }
    places[{launch.job, launch.attempt}] = place;
    return Done{};
}

// The token authenticates the job's commands to a controller on another host. The folder is ours,
// so nobody can have placed a file there.
Status LinuxNodeParts::keep_token(const LaunchAttempt& launch, const std::string& path,
                                  const UserRecord& user) {
    const Environment given(launch.payload.environment);
    const auto token = given.get(kJobTokenVariable);
    if (!token) return Done{};
    ::unlink(path.c_str());
    const UniqueFd file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400));
    if (!file) return system_error("cannot make " + path, errno);
    BERTH_CHECK(write_all(file.get(), *token));
    if (::geteuid() == 0 && ::fchown(file.get(), user.uid, static_cast<gid_t>(-1)) != 0)
        return system_error("cannot give " + path + " to its user", errno);
    return Done{};
}

NodeView LinuxNodeParts::view_of_job(const LaunchAttempt& launch) const {
    NodeView view = view_for(launch.confinement);
    const auto place = places.find({launch.job, launch.attempt});
    if (place == places.end()) return view;
    for (std::string& one : mps_environment(launch)) view.environment.push_back(std::move(one));
    const std::string token = place->second.folder + "/token";
    if (::access(token.c_str(), F_OK) == 0) view.environment.push_back("BERTH_TOKEN_FILE=" + token);
    return view;
}

// The cgroups of a job have the same names in each of its attempts: those of the last attempt must
// be removed first.
Status LinuxNodeParts::clear_group(const Cgroup& group) {
    std::erase_if(leftovers, [&](const Place& old) {
        if (old.group != group) return false;
        (void)remove_tree(old.folder);
        return true;
    });
    constexpr int kTries = 50;
    constexpr useconds_t kPause = 10'000;
    for (int i = 1;; ++i) {
        Status removed = CgroupTree::remove(group);
        if (removed.ok()) return Done{};
        if (i == kTries) return prefixed("an earlier attempt is not gone", removed.error());
        ::usleep(kPause);  // The kernel may lag a little.
    }
}

void LinuxNodeParts::start_step(const StartStep& start) {
    const LaunchStep& step = start.launch;
    const RunKey run{step.job, step.attempt, step.step};
    const auto user = user_of(start.attempt.owner);
    Status started = Done{};
    if (!user.ok()) {
        started = user.error();
    } else if (claim({step.job, step.attempt}) == nullptr) {
        started = Error{ErrorCode::failed_precondition, "its job does not run on this node"};
    } else if (step.share.tasks.empty() || step.arguments.empty()) {
        started = Error{ErrorCode::invalid_argument, "the step has no task, or no command, here"};
    } else if (started = make_way(run); started.ok()) {
        const NodeView view = view_of_job(start.attempt);
        started = start_run(step_run(step, start.attempt, view, *user), start.attempt, &step.share);
    }
    if (!started.ok()) refuse(run, started.error());
}

Status LinuxNodeParts::start_run(RunSpec spec, const LaunchAttempt& launch, const StepShare* step) {
    const RunKey key{spec.job, spec.attempt, spec.step};
    if (!spec.of_site && launch.confinement.use_pam) spec.account_check = options.account_check;
    const Place& place = places.at({spec.job, spec.attempt});
    Run run;
    if (confinement.usable() && !is_hook(spec.step)) {
        run.group = CgroupTree::step(place.group, spec.step);
        BERTH_CHECK(on_node(confinement.confine_run(run.group, launch, step)));
        spec.cgroups.assign(run.group.v1.begin(), run.group.v1.end());
        spec.unified = run.group.unified;
    }
    run.folder = RunDirectory(place.folder + "/" + folder_of_step(spec.step));
    Result<UniqueFd> lock = run.folder.create(spec);
    if (!lock.ok()) return on_node(lock.error());
    run.watch = ::inotify_add_watch(folders.get(), run.folder.path().c_str(), IN_MOVED_TO);
    if (run.watch < 0 && folders) {
        log.write(LogLevel::warning, "host",
                  system_error("cannot watch " + run.folder.path(), errno).message +
                      ": it is looked at by time; fs.inotify.max_user_watches may be too low");
    }
    const char* const kind = needs_tls(spec.io_address) ? "-tls" : "";
    BERTH_CHECK(on_node(spawn_shepherd(run, std::move(lock).value(), options.shepherd + kind)));
    if (run.watch >= 0) by_watch[run.watch] = key;
    Run& kept = runs[key] = std::move(run);
    watch_shepherd(key, kept);
    return Done{};
}

namespace {

// Everything that posix_spawn needs; released at the end.
struct SpawnPlan {
    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};
    SpawnPlan() {
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawnattr_init(&attributes);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&attributes);
    }
};

}  // namespace

// The shepherd gets its own session, so that no signal meant for the agent reaches it, and no
// descriptor of ours but the lock.
Status LinuxNodeParts::spawn_shepherd(Run& run, UniqueFd lock, std::string program) {
    SpawnPlan plan;
    const std::string log_path = run.folder.log_path();
    ::posix_spawn_file_actions_addopen(&plan.files, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&plan.files, 1, log_path.c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::posix_spawn_file_actions_adddup2(&plan.files, 1, 2);
    const UniqueFd high(
        ::fcntl(lock.get(), F_DUPFD_CLOEXEC, kLockFd + 1));  // Never kLockFd itself.
    ::posix_spawn_file_actions_adddup2(&plan.files, high.get(), kLockFd);
    ::posix_spawn_file_actions_addclosefrom_np(&plan.files, kLockFd + 1);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&plan.attributes, &all);
    ::posix_spawnattr_setsigmask(&plan.attributes, &none);
    ::posix_spawnattr_setflags(&plan.attributes,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    std::string folder = run.folder.path(), path = "PATH=/usr/bin:/bin";
    char* arguments[] = {program.data(), folder.data(), nullptr};
    char* environment[] = {path.data(), nullptr};
    const int failed = ::posix_spawn(&run.child, program.c_str(), &plan.files, &plan.attributes,
                                     arguments, environment);
    if (failed != 0) return process_error("cannot start " + program, failed);
    if (const auto mark = mark_of(run.child)) run.shepherd = open_process(*mark);
    return Done{};
}

}  // namespace berth
