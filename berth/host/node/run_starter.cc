#include "berth/host/node/run_starter.h"

#include <unistd.h>

#include "berth/agent/signals.h"
#include "berth/host/os/file_io.h"
#include "berth/host/run/hook_plan.h"
#include "berth/host/run/not_begun.h"
#include "berth/host/run/run_plan.h"
#include "berth/host/shepherd/shepherd.h"

namespace berth {

void RunStarter::start_attempt(const LaunchAttempt& launch) {
    const RunKey run{launch.job, launch.attempt, launch.batch_host ? kBatchStep : kExternStep};
    Status prepared = make_way(run);
    if (prepared.ok()) prepared = prepare_attempt(launch);
    if (!prepared.ok()) return refuse(run, prepared.error());
    if (!launch.batch_host) return events_.tell(RunStarted{run});
    const auto user = NodeDescription::user_of(launch.owner);
    Status started = user.ok()
                         ? start_run(batch_run(launch, view_of_job(launch), *user), launch, nullptr)
                         : Status(user.error());
    if (!started.ok()) refuse(run, started.error());
}

void RunStarter::refuse(const RunKey& run, const Error& why) {
    events_.tell(RunFailedToStart{run, (is_hook(run.step) ? "did not start: " : "") + why.message,
                                  not_begun_by(why)});
}

// An agent that died may already have started this run. A shepherd holds the run's lock from its
// creation, and writes its status before it lets the first of the user's programs run. Without lock
// and status nothing has run or ever will; otherwise the run is refused.
Status RunStarter::make_way(const RunKey& key) {
    const RunDirectory folder(description_.folder_of(key.job, key.attempt) + "/" +
                              folder_of_step(key.step));
    if (::access(folder.path().c_str(), F_OK) != 0) return Done{};
    const auto status = folder.status();
    if (status && !status->failure.empty()) return failure_of(*status);
    if (folder.is_locked() || status || folder.exit()) {
        return Error{ErrorCode::already_exists, "it was started on this node before"};
    }
    runs_.forget(key);
    return remove_tree(folder.path());
}

Status RunStarter::prepare_attempt(const LaunchAttempt& launch) {
    // The state file was damaged. An empty script would look like a job that failed.
    const bool wants_script = launch.batch_host && !launch.spec.command->interactive;
    if (wants_script && launch.payload.script.empty()) {
        return Error{ErrorCode::failed_precondition,
                     "the controller could not read its script: berthd's log says why"};
    }
    BERTH_TRY(const UserRecord user, NodeDescription::user_of(launch.owner));
    BERTH_CHECK(on_node(places_.make(launch, user)));
    BERTH_CHECK(on_node(description_.confinement().confine_job(launch)));
    return mps_.start_for(launch, user);
}

// Prologs and epilogs run outside the job's cgroup, so a daemon that they start survives the job.
void RunStarter::start_hook(const StartHook& start) {
    if (const Status started = prepare_hook(start); !started.ok()) {
        refuse(start.run, started.error());
    }
}

Status RunStarter::prepare_hook(const StartHook& start) {
    const AttemptKey attempt = attempt_of(start.run);
    if (places_.claim(attempt) == nullptr) {
        BERTH_TRY(const UserRecord owner, NodeDescription::user_of(start.launch.owner));
        BERTH_CHECK(on_node(places_.make(start.launch, owner)));
    }
    const std::string folder = places_.find(attempt)->folder + "/" + folder_of_step(start.run.step);
    // A shepherd that has recorded the exit is about to end and reports nothing more.
    if (const RunDirectory before(folder); before.is_locked() && !before.exit()) {
        return Error{ErrorCode::already_exists, "it runs on this node already"};
    }
    runs_.forget(start.run);
    BERTH_CHECK(remove_tree(folder));
    BERTH_TRY(const UserRecord agent, find_user(::geteuid()));
    const NodeView view = description_.view_for(start.launch.confinement);
    return start_run(hook_run(start, view, agent, folder + ".out"), start.launch, nullptr);
}

void RunStarter::start_step(const StartStep& start) {
    const LaunchStep& step = start.launch;
    const RunKey run{step.job, step.attempt, step.step};
    const auto user = NodeDescription::user_of(start.attempt.owner);
    Status started = Done{};
    if (!user.ok()) {
        started = user.error();
    } else if (places_.claim({step.job, step.attempt}) == nullptr) {
        started = Error{ErrorCode::failed_precondition, "its job does not run on this node"};
    } else if (step.share.tasks.empty() || step.arguments.empty()) {
        started = Error{ErrorCode::invalid_argument, "the step has no task, or no command, here"};
    } else if (started = make_way(run); started.ok()) {
        const NodeView view = view_of_job(start.attempt);
        started = start_run(step_run(step, start.attempt, view, *user), start.attempt, &step.share);
    }
    if (!started.ok()) refuse(run, started.error());
}

// REQUIRES: the job has its place.
NodeView RunStarter::view_of_job(const LaunchAttempt& launch) const {
    NodeView view = description_.view_for(launch.confinement);
    const AttemptPlace* const place = places_.find({launch.job, launch.attempt});
    if (place == nullptr) return view;
    for (std::string& one : mps_.environment(launch)) view.environment.push_back(std::move(one));
    const std::string token = place->folder + "/token";
    if (::access(token.c_str(), F_OK) == 0) view.environment.push_back("BERTH_TOKEN_FILE=" + token);
    return view;
}

Status RunStarter::start_run(RunSpec spec, const LaunchAttempt& launch, const StepShare* step) {
    const RunKey key{spec.job, spec.attempt, spec.step};
    const LinuxNodeOptions& options = description_.options();
    if (!spec.of_site && launch.confinement.use_pam) spec.account_check = options.account_check;
    const AttemptPlace* const place = places_.find(attempt_of(key));
    BERTH_ASSERT(place != nullptr);
    const Confinement& confinement = description_.confinement();
    Cgroup group;
    if (confinement.usable() && !is_hook(spec.step)) {
        group = CgroupTree::step(place->group, spec.step);
        BERTH_CHECK(on_node(confinement.confine_run(group, launch, step)));
        spec.cgroups.assign(group.v1.begin(), group.v1.end());
        spec.unified = group.unified;
    }
    const RunDirectory folder(place->folder + "/" + folder_of_step(spec.step));
    Result<UniqueFd> lock = folder.create(spec);
    if (!lock.ok()) return on_node(lock.error());
    const char* const kind = needs_tls(spec.io_address) ? "-tls" : "";
    return on_node(
        runs_.start(key, folder, group, std::move(lock).value(), options.shepherd + kind));
}

}  // namespace berth
