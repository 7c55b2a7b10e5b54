#include "berth/control/notices/site_variables.h"

#include "berth/base/control_characters.h"
#include "berth/base/hostlist.h"
#include "berth/model/license.h"
#include "berth/model/node_names.h"
#include "berth/model/oversubscribe.h"

namespace berth {
namespace {

class Settings {
public:
    // A user's text must not look like several lines to the site's program.
    void put(const char* name, const std::string& value) {
        all_.push_back(std::string(name) + "=" + with_escaped_controls(value));
    }
    void put_some(const char* name, const std::string& value) {
        if (!value.empty()) put(name, value);
    }
    void put(const char* name, std::uint64_t number) { put(name, std::to_string(number)); }
    std::vector<std::string> take() { return std::move(all_); }

private:
    std::vector<std::string> all_;
};

// The status as wait(2) returns it.
std::uint32_t wait_status(ExitStatus exit) {
    return (static_cast<std::uint32_t>(exit.code & 0xff) << 8) |
           static_cast<std::uint32_t>(exit.signal & 0x7f);
}

void put_array(Settings& settings, const Job& job) {
    if (!job.array_job || !job.array_task) return;
    settings.put("SLURM_ARRAY_JOB_ID", to_string(*job.array_job));
    settings.put("SLURM_ARRAY_TASK_ID", *job.array_task);
    const std::vector<std::uint32_t>& bounds = job.array_bounds;
    if (bounds.size() != 4) return;
    settings.put("SLURM_ARRAY_TASK_COUNT", bounds[0]);
    settings.put("SLURM_ARRAY_TASK_MIN", bounds[1]);
    settings.put("SLURM_ARRAY_TASK_MAX", bounds[2]);
    settings.put("SLURM_ARRAY_TASK_STEP", bounds[3]);
}

void put_times(Settings& settings, const Job& job) {
    if (!job.started_at) return;
    settings.put("SLURM_JOB_START_TIME", static_cast<std::uint64_t>(seconds(*job.started_at)));
    const std::optional<Time> end = job.ended_at ? job.ended_at.plain() : limit_ends(job);
    if (end) {
        settings.put("SLURM_JOB_END_TIME", static_cast<std::uint64_t>(seconds(*end)));
    }
}

void put_end(Settings& settings, const Job& job) {
    settings.put("SLURM_JOB_DERIVED_EC", wait_status(job.derived_exit));
    settings.put("SLURM_JOB_EXIT_CODE", wait_status(job.exit));
    settings.put("SLURM_JOB_EXIT_CODE2",
                 std::to_string(job.exit.code) + ":" + std::to_string(job.exit.signal));
}

}  // namespace

std::vector<std::string> site_variables(const ClusterState& state, const Job& job, bool over) {
    const ClusterSpec& spec = state.spec();
    const JobCommand& command = job.spec.command;
    const JobRequest& request = job.spec.request;
    Settings settings;
    settings.put("SLURM_CLUSTER_NAME", spec.name);
    settings.put("SLURM_JOB_ID", to_string(job.id));
    settings.put("SLURM_JOBID", to_string(job.id));
    settings.put("SLURM_JOB_NAME", job.spec.name);
    settings.put("SLURM_JOB_USER", job.owner->user);
    settings.put("SLURM_JOB_UID", job.owner->uid);
    settings.put("SLURM_JOB_GROUP", job.owner->group);
    settings.put("SLURM_JOB_GID", job.owner->gid);
    settings.put("SLURM_JOB_PARTITION", spec.partition(job.partition).name);
    settings.put("SLURM_JOB_QOS", spec.qos[job.qos.index()].name);
    settings.put_some("SLURM_JOB_ACCOUNT", job.spec.account);
    settings.put_some("SLURM_JOB_COMMENT", job.spec.comment);
    settings.put_some("SLURM_JOB_CONSTRAINTS", request.constraint);
    settings.put_some("SLURM_JOB_RESERVATION", request.reservation);
    settings.put_some("SLURM_JOB_LICENSES", to_text(request.licenses));
    settings.put_some("SLURM_WCKEY", command.wckey);
    settings.put_some("SLURM_JOB_WORK_DIR", command.work_dir);
    const PartitionSpec& partition = spec.partition(job.partition);
    const CoreSharing sharing = core_sharing_of(partition.oversubscribe);
    const bool alone = request.exclusive && !partition.ignores_exclusive();
    const bool shares = request.oversubscribe || (sharing.jobs > 1 && !sharing.if_asked);
    settings.put("SLURM_JOB_OVERSUBSCRIBE", alone ? "NO" : shares ? "YES" : "OK");
    settings.put("SLURM_JOB_RESTART_COUNT", job.restarts);
    settings.put("SLURM_JOB_STATE", std::string(slurm_name(job.state == JobState::completing &&
                                                                   job.outcome != JobState::pending
                                                               ? job.outcome
                                                               : job.state)));
    if (!job.nodes.empty()) {
        settings.put("SLURM_JOB_NODELIST", compress_hostlist(names_of(spec, job.nodes)));
        settings.put("SLURM_JOB_NUM_NODES", job.nodes.size());
    }
    if (job.het) {
        settings.put("SLURM_HET_JOB_ID", to_string(job.het->first));
        settings.put("SLURM_HET_JOB_OFFSET", job.het->offset);
    }
    put_array(settings, job);
    put_times(settings, job);
    if (over) put_end(settings, job);
    return settings.take();
}

}  // namespace berth
