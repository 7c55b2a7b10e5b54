#include "berth/engine/admission/admission.h"

#include <algorithm>

#include "berth/base/duration_text.h"
#include "berth/engine/admission/admission_checks.h"
#include "berth/engine/placement/gpu_bind.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

constexpr std::size_t kDependenciesMax = 1000;
constexpr std::size_t kJobNameMax = 1024;
constexpr std::size_t kCommentMax = 16 * 1024;
constexpr Duration kBeginMax = std::chrono::hours(24 * 365 * 10);

// The wording of --gpu-bind in srun, which refuses the same before it sends a request.
Objection check_gpu_bind(const std::string& text) {
    if (GpuBind::parse(text).ok()) return std::nullopt;
    std::string message = "Invalid --gpu-bind argument: " + text.substr(0, 256) +
                          " (write closest, none, single:N, per_task:N, map_gpu:0,1 or "
                          "mask_gpu:0x1,0x2)";
    return Refusing{
        .why = Refusal::invalid_request, .message = message, .details = {std::move(message)}};
}

Objection set_array(const ClusterSpec& spec, Job& job) {
    if (!job.spec.array) return std::nullopt;
    std::vector<std::uint32_t>& tasks = job.spec.array->tasks;
    std::sort(tasks.begin(), tasks.end());
    tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
    if (job.spec.command->interactive) {
        return Refusing{.why = Refusal::invalid_array,
                        .message = "an interactive job cannot be an array"};
    }
    const std::uint32_t size = spec.scheduling.max_array_size;
    if (tasks.empty() || tasks.back() >= size) {
        return Refusing{.why = Refusal::invalid_array,
                        .message = "array indices can be 0 to " + std::to_string(size - 1) +
                                   ", and there must be one"};
    }
    const std::uint32_t step = tasks.size() > 1 ? tasks[1] - tasks[0] : 1;
    job.array_bounds = {static_cast<std::uint32_t>(tasks.size()), tasks.front(), tasks.back(),
                        step};
    job.array_max_running = job.spec.array->max_running;
    return std::nullopt;
}

Objection check_room(const ClusterState& state, const Job& job) {
    const std::size_t more = job.spec.array ? job.spec.array->tasks.size() : 1;
    const SchedulingSpec& scheduling = state.spec().scheduling;
    const std::uint32_t most =
        std::min(scheduling.max_job_count, (scheduling.max_job_id - scheduling.first_job_id) / 2);
    if (state.jobs().size() + more <= most) return std::nullopt;
    return Refusing{.why = Refusal::job_limit_reached,
                    .message = "the cluster holds " + std::to_string(state.jobs().size()) +
                               " jobs and takes no more than " + std::to_string(most) +
                               ": try again later"};
}

bool is_known(const ClusterState& state, const Dependency& dependency) {
    const Job* job = state.find_job(dependency.job);
    if (!dependency.array_task)
        return job != nullptr || !array_members(state, dependency.job).empty();
    for (const JobId id : array_members(state, dependency.job)) {
        const Job& member = *state.find_job(id);
        if (member.array_task == dependency.array_task) return true;
        if (!member.spec.array || member.array_task) continue;
        const auto& tasks = member.spec.array->tasks;
        if (std::binary_search(tasks.begin(), tasks.end(), *dependency.array_task)) return true;
    }
    return false;
}

bool asks_how_it_ended(DependencyKind kind) {
    return kind == DependencyKind::afterok || kind == DependencyKind::afternotok ||
           kind == DependencyKind::aftercorr;
}

std::string unknown_target(const SchedulingSpec& scheduling, const Dependency& dependency) {
    std::string name = to_string(dependency.job);
    if (dependency.array_task) name += "_" + std::to_string(*dependency.array_task);
    return "there is no job " + name +
           ", so how it ended is not known; name a job that is pending, running or ended less "
           "than " +
           format_duration(scheduling.min_job_age) + " ago (MinJobAge)";
}

// Whether `from` depends on `target`, directly or through other jobs.
bool waits_for(const ClusterState& state, JobId from, JobId target) {
    std::set<JobId> seen;
    std::vector<JobId> to_see = {from};
    while (!to_see.empty()) {
        const JobId id = to_see.back();
        to_see.pop_back();
        if (id == target) return true;
        const Job* job = state.find_job(id);
        if (job == nullptr || !seen.insert(id).second) continue;
        for (const Dependency& next : job->spec.dependencies) {
            if (next.kind != DependencyKind::singleton) to_see.push_back(next.job);
        }
    }
    return false;
}

// With one partition, or none for the default one.
std::variant<Job, Refusing> admit_in_one(const ClusterState& state, Time now,
                                         const Principal& owner, const JobSpec& spec,
                                         PriorityBy set_by) {
    const ClusterSpec& cluster = state.spec();
    Job job;
    job.id = state.next_job_id();
    job.owner = Owner{.uid = owner.uid, .gid = owner.gid, .user = owner.user, .group = owner.group};
    job.spec = spec;
    job.spec.flavor = {};
    if (!spec.request->refused_by.empty()) job.spec.request.edit().refused_by.clear();
    job.submitted_at = now;
    if (spec.hold || spec.priority == 0U) job.hold = Hold::user;

    Objection no = check_texts(spec.name, spec.comment);
    if (!no) no = check_texts("", spec.command->extra);
    if (!no) no = check_priority(owner, spec, set_by);
    if (!no) no = resolve_priority_class(cluster, job);
    if (!no) no = check_gpu_bind(spec.command->gpu_bind);
    if (!no) no = check_restart(spec.command);
    if (!no) no = check_begin(now, spec.begin);
    if (!no) no = check_mail(cluster, job);
    if (!no) no = resolve_partition(cluster, owner, job);
    if (!no) no = resolve_account(cluster, job);
    if (!no) no = resolve_qos(cluster, job);
    if (!no) no = check_partition_access(cluster, owner, job);
    if (!no) add_gpu_defaults(cluster, job);
    if (!no) no = normalise_request(cluster, job.spec.request.edit());
    if (!no) no = resolve_time_limit(cluster, job);
    if (!no) no = check_partition_limits(cluster, job);
    if (!no) no = check_share(cluster, job);
    if (!no) no = check_nearness(cluster, job.spec.request);
    if (!no) no = check_licenses(cluster, job);
    if (!no) no = check_time_terms(now, job);
    if (!no) no = check_reservation(state, now, job, &owner.groups);
    if (!no) no = check_fits(state, job);
    if (!no) no = check_dependencies(state, job.id, job.spec);
    if (!no) no = set_array(cluster, job);
    if (!no) no = check_room(state, job);
    if (!no) no = check_limits(state, job);
    if (!no) no = check_queues(state, job);
    if (no) return *std::move(no);
    job.predicted = state.run_history().predict(owner.user, spec.name, now);
    return job;
}

}  // namespace

Objection check_texts(std::string_view name, std::string_view comment) {
    if (name.size() <= kJobNameMax && comment.size() <= kCommentMax) return std::nullopt;
    return Refusing{.why = Refusal::invalid_request,
                    .message = "the name or the comment is too long: at most 1024 and 16384 bytes"};
}

Objection check_begin(Time now, std::optional<Time> begin) {
    if (!begin || *begin <= now + kBeginMax) return std::nullopt;
    return Refusing{.why = Refusal::invalid_time,
                    .message = "the begin time is more than ten years ahead"};
}

// How a job that is no longer known ended cannot be told, so dependencies on its outcome are
// refused, as in Slurm 25.11. For other dependencies it counts as over.
Objection check_dependencies(const ClusterState& state, JobId id, JobSpec& spec) {
    if (spec.dependencies.size() > kDependenciesMax) {
        return Refusing{.why = Refusal::invalid_dependency,
                        .message = "more than 1000 dependencies"};
    }
    for (const Dependency& dependency : spec.dependencies) {
        if (dependency.kind == DependencyKind::singleton) continue;
        if (dependency.job == id) {
            return Refusing{.why = Refusal::invalid_dependency,
                            .message = "job " + to_string(id) + " cannot wait for itself"};
        }
        if (waits_for(state, dependency.job, id)) {
            return Refusing{.why = Refusal::circular_dependency,
                            .message = "job " + to_string(dependency.job) + " waits for job " +
                                       to_string(id) + " already"};
        }
    }
    const auto done = [&](const Dependency& one) {
        return one.kind != DependencyKind::singleton && !is_known(state, one);
    };
    for (const Dependency& dependency : spec.dependencies) {
        if (asks_how_it_ended(dependency.kind) && done(dependency)) {
            return Refusing{.why = Refusal::invalid_dependency,
                            .message = unknown_target(state.spec().scheduling, dependency)};
        }
    }
    const std::size_t dropped = std::erase_if(spec.dependencies.edit(), done);
    if (dropped > 0 && spec.any_dependency) spec.dependencies.clear();
    return std::nullopt;
}

std::variant<Job, Refusing> admit(const ClusterState& state, Time now, const Principal& owner,
                                  const JobSpec& spec, PriorityBy set_by) {
    if (!names_several_partitions(spec)) return admit_in_one(state, now, owner, spec, set_by);
    return admit_in_several(state.spec(), spec.partition, [&](const std::string& partition) {
        JobSpec in_one = spec;
        in_one.partition = partition;
        return admit_in_one(state, now, owner, in_one, set_by);
    });
}

}  // namespace berth
