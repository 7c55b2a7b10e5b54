#include "berth/host/run/hook_plan.h"

#include "berth/base/control_characters.h"

namespace berth {
namespace {

// The shell expands the unquoted $pattern; a pattern without a match stays as it is and is skipped.
constexpr const char* kOneAfterTheOther = R"(IFS=
for pattern do
    for program in $pattern; do
        case $program in *[*?[]*) [ -e "$program" ] || continue ;; esac
        "$program" || exit
    done
done)";

Environment hook_environment(const StartHook& start, const NodeView& view) {
    const LaunchAttempt& launch = start.launch;
    const bool before = start.run.step == kPrologStep;
    Environment environment;
    environment.set("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    set_job_variables(environment, launch, view);
    environment.set("SLURM_SCRIPT_CONTEXT", before ? "prolog_slurmd" : "epilog_slurmd");
    environment.set("SLURM_JOB_USER", launch.owner.user);
    environment.set("SLURM_JOB_WORK_DIR", launch.spec.command->work_dir);
    environment.set("SLURM_JOB_CONSTRAINTS", launch.spec.request->constraint);
    environment.set("SLURM_JOB_COMMENT", launch.spec.comment);
    environment.set("SLURM_JOB_RESTART_COUNT", launch.restarts);
    environment.set("SLURM_NODEID", node_index(launch));
    environment.add(view.environment);
    // The hook sees all GPUs, since it runs outside the job's cgroups.
    NodeView everything = view;
    everything.devices_isolated = false;
    set_gpus(environment, launch.share.devices, launch.share.devices, everything);
    return environment;
}

}  // namespace

RunSpec hook_run(const StartHook& start, const NodeView& view, const UserRecord& agent,
                 const std::string& output) {
    const HookSpec& hooks = start.launch.hooks;
    const bool before = start.run.step == kPrologStep;
    RunSpec run;
    run.job = start.run.job;
    run.attempt = start.run.attempt;
    run.step = start.run.step;
    run.uid = agent.uid;
    run.gid = agent.gid;
    run.user = agent.name;
    run.work_dir = "/";
    run.of_site = true;
    run.arguments = {"/bin/sh", "-c", kOneAfterTheOther, before ? "prolog" : "epilog"};
    const std::vector<std::string>& programs = before ? hooks.prolog : hooks.epilog;
    run.arguments.insert(run.arguments.end(), programs.begin(), programs.end());
    // A user's text must not look like several lines to the site's program.
    for (const std::string& setting : hook_environment(start, view).settings())
        run.environment.push_back(with_escaped_controls(setting));
    TaskSpec task;
    task.out = {StreamKind::file, output, true};
    task.err = {StreamKind::same_as_out, "", false};
    run.tasks.push_back(std::move(task));
    return run;
}

}  // namespace berth
