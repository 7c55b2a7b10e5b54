// Admission of updates: which fields of a job may change, when, by whom, and to which values.
#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/engine/admission/admission_checks.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

Refusing not_allowed(std::string message) {
    return {.why = Refusal::not_allowed, .message = std::move(message)};
}

// What may change of a job that runs, and what says how it is changed.
constexpr auto kWhileRunning = std::to_array<std::string_view>(
    {"time_limit", "name", "comment", "array_max_running", "mail_types", "mail_user", "requeue",
     "any_dependency", "admin_comment", "extra"});

bool changes_what_waits(const JobUpdated& update) {
    bool found = false;
    JobUpdated::fields(update, [&](std::string_view name, const auto& value) {
        if constexpr (requires { value.has_value(); }) {
            found =
                found || (value && std::ranges::find(kWhileRunning, name) == kWhileRunning.end());
        }
    });
    return found;
}

Objection check_state(const Job& job, const JobUpdated& update) {
    if (is_final(job.state) || job.state == JobState::completing) {
        return Refusing{.why = Refusal::job_finished,
                        .message = "job " + to_string(job.id) + " is over"};
    }
    if (job.state != JobState::pending && changes_what_waits(update)) {
        return Refusing{.why = Refusal::job_not_pending,
                        .message = "job " + to_string(job.id) +
                                   " runs: only its time limit, name and comment may change"};
    }
    if (update.nice && (*update.nice < -kNiceMax || *update.nice > kNiceMax)) {
        return Refusing{.why = Refusal::invalid_request,
                        .message = "nice can be -2147483645 to 2147483645"};
    }
    if (update.array_max_running && !job.spec.array && !job.array_job) {
        return Refusing{.why = Refusal::invalid_array,
                        .message = "job " + to_string(job.id) + " is no array"};
    }
    return std::nullopt;
}

// Changes reserved for operators: those that raise a limit or move a job ahead of others.
Objection check_rights(const ClusterState& state, const Job& job, const JobUpdated& update) {
    if (update.time_limit && *update.time_limit > job.time_limit) {
        return not_allowed("only operators raise a time limit");
    }
    if (update.nice && *update.nice < 0) return not_allowed("only operators set a negative nice");
    if (update.admin_comment) return not_allowed("only operators set an AdminComment");
    if (update.site_factor) return not_allowed("only operators set a site factor");
    if (update.priority && *update.priority > current_priority(state, job.id)) {
        return not_allowed("only operators raise a priority");
    }
    if (update.priority.value_or(0) > 0 && job.hold != Hold::none) {
        return not_allowed("a held job is released, not given a priority");
    }
    return std::nullopt;
}

Principal owner_of(const Job& job, bool by_operator, const std::vector<std::string>& groups) {
    return {.uid = job.owner->uid,
            .gid = job.owner->gid,
            .user = job.owner->user,
            .group = job.owner->group,
            .role = by_operator ? Role::admin : Role::user,
            .groups = groups};
}

// Checks the request as for a submission.
Objection check_request(const ClusterState& state, Time now, Job& changed,
                        const std::vector<std::string>* groups) {
    const ClusterSpec& spec = state.spec();
    Objection no = normalise_request(spec, changed.spec.request.edit());
    if (!no) no = check_share(spec, changed);
    if (!no) no = check_nearness(spec, changed.spec.request);
    if (!no) no = check_licenses(spec, changed);
    if (!no) no = check_reservation(state, now, changed, groups);
    if (!no) no = check_fits(state, changed);
    return no;
}

// What limits jobs of the new account admits the job as if it were submitted there.
Objection check_new_account(const ClusterState& state, const Job& changed) {
    const Job* const before = state.find_job(changed.id);
    if (changed.spec.account == before->spec.account) return std::nullopt;
    Job moved = changed;
    moved.id = state.next_job_id();  // By its own id it would be found where it is counted now.
    const Objection no = check_limits(state, moved, before);
    return no ? no : check_queues(state, moved, before);
}

// Puts the job into another partition, account or QOS.
Objection change_names(const ClusterState& state, const Principal& owner, const JobUpdated& update,
                       Job& changed) {
    const ClusterSpec& spec = state.spec();
    if (update.partition) {
        if (update.partition->index() >= spec.partitions.size()) {
            return Refusing{.why = Refusal::unknown_partition, .message = "no such partition"};
        }
        changed.spec.partition = spec.partition(*update.partition).name;
        if (auto no = resolve_partition(spec, owner, changed)) return no;
    }
    if (update.account) {
        changed.spec.account = *update.account;
        if (auto no = resolve_account(spec, changed)) return no;
    }
    if (update.qos) {
        if (update.qos->index() >= spec.qos.size()) {
            return Refusing{.why = Refusal::unknown_qos, .message = "no such QOS"};
        }
        changed.spec.qos = spec.qos[update.qos->index()].name;
    }
    if (update.qos || update.account) {
        if (auto no = resolve_qos(spec, changed)) return no;
    }
    if (update.partition || update.qos || update.account) {
        if (auto no = check_partition_access(spec, owner, changed)) return no;
    }
    return update.account ? check_new_account(state, changed) : std::nullopt;
}

// Applies the update to `changed` and checks the result as for a submission.
Objection change(const ClusterState& state, Time now, const JobUpdated& update,
                 const std::vector<std::string>& groups, Job& changed) {
    const ClusterSpec& spec = state.spec();
    const Principal owner = owner_of(changed, update.by_operator, groups);
    const bool several = update.partitions || names_several_partitions(changed.spec);
    if (auto no = change_names(state, owner, update, changed)) return no;
    if (update.time_limit) changed.spec.request.edit().time_limit = update.time_limit;
    // Without a limit of its own, a job of several partitions has that of the one where it stands.
    if (update.time_limit || (update.partition && several && !changed.spec.request->time_limit)) {
        if (auto no = resolve_time_limit(spec, changed)) return no;
    }
    if (update.nodelist) {
        changed.spec.request.edit().nodelist = *update.nodelist;
        if (auto no = normalise_request(spec, changed.spec.request.edit())) return no;
    }
    if (update.request) {
        JobRequest request = *update.request;
        if (update.nodelist) request.nodelist = changed.spec.request->nodelist;
        request.time_limit = changed.spec.request->time_limit;
        changed.spec.request = std::move(request);
        const auto* const of_owner = update.by_operator ? nullptr : &groups;
        if (auto no = check_request(state, now, changed, of_owner)) return no;
    } else if (update.partition || update.nodelist) {
        if (auto no = check_fits(state, changed)) return no;
    }
    if (update.begin) changed.spec.begin = update.begin;
    if (update.deadline) changed.spec.deadline = update.deadline;
    if (update.time_min) changed.spec.time_min = update.time_min;
    if (update.begin || update.deadline || update.time_min || update.time_limit) {
        if (auto no = check_time_terms(now, changed)) return no;
    }
    if (!update.by_operator && (update.partition || update.time_limit || update.request)) {
        if (auto no = check_partition_limits(spec, changed)) return no;
    }
    const bool has_priority = update.priority.value_or(0) > 0;  // 0 holds the job.
    if (has_priority) changed.spec.priority = update.priority;
    if (!update.by_operator && (has_priority || update.request)) {
        if (auto no = check_queues_of_update(state, changed)) return no;
    }
    if (!update.dependencies) return std::nullopt;
    changed.spec.dependencies = *update.dependencies;
    changed.spec.any_dependency = update.any_dependency.value_or(changed.spec.any_dependency);
    return check_dependencies(state, changed.id, changed.spec);
}

// The same in each of several partitions.
Objection change_in_several(const ClusterState& state, Time now, JobUpdated& update,
                            const std::vector<std::string>& groups, Job& changed) {
    if (changed.het) {
        return Refusing{
            .why = Refusal::not_supported,
            .message = "a list of partitions is not supported yet in a heterogeneous job"};
    }
    const ClusterSpec& spec = state.spec();
    using Admitted = std::variant<Job, Refusing>;
    Admitted admitted =
        admit_in_several(spec, *update.partitions, [&](const std::string& name) -> Admitted {
            JobUpdated one = update;
            one.partition = spec.find_partition(name);
            if (!one.partition) {
                return Refusing{.why = Refusal::unknown_partition,
                                .message = "there is no partition '" + name + "'"};
            }
            Job there = changed;
            if (auto no = change(state, now, one, groups, there)) return *std::move(no);
            return there;
        });
    if (auto* const no = std::get_if<Refusing>(&admitted)) return std::move(*no);
    changed = std::get<Job>(std::move(admitted));
    update.partition = changed.partition;
    update.partitions.reset();
    if (names_several_partitions(changed.spec)) update.partitions = *changed.spec.partition;
    return std::nullopt;
}

bool asks_partitions(const JobUpdated& update) {
    return update.qos || update.account || update.nodelist || update.request || update.time_limit;
}

// A change that names no partition, of a job that waits in several: it leaves those that do not
// take it as it will be, and stays where it stands if it may.
Objection change_where_it_waits(const ClusterState& state, Time now, JobUpdated& update,
                                const std::vector<std::string>& groups, Job& changed) {
    const ClusterSpec& spec = state.spec();
    std::vector<std::string> names;
    for (const std::string_view name : split(*changed.spec.partition, ',')) {
        if (spec.find_partition(name)) names.emplace_back(name);
    }
    const Job before = changed;
    using Admitted = std::variant<Job, Refusing>;
    Admitted admitted =
        admit_in_several(spec, join(names, ","), [&](const std::string& name) -> Admitted {
            Job there = moved_to(spec, before, *spec.find_partition(name));
            there.spec.partition = name;
            if (auto no = change(state, now, update, groups, there)) return *std::move(no);
            return there;
        });
    if (auto* const no = std::get_if<Refusing>(&admitted)) return std::move(*no);
    changed = std::get<Job>(std::move(admitted));
    if (*changed.spec.partition == join(names, ",")) return std::nullopt;
    const auto taking = partitions_of(spec, changed);
    const bool stays = std::ranges::find(taking, before.partition) != taking.end();
    update.partition = stays ? before.partition : changed.partition;
    if (names_several_partitions(changed.spec)) update.partitions = *changed.spec.partition;
    return std::nullopt;
}

}  // namespace

std::variant<JobUpdated, Refusing> admit_update(const ClusterState& state, Time now,
                                                const JobUpdated& update, bool by_operator,
                                                const std::vector<std::string>& groups) {
    const Job* job = state.find_job(update.job);
    if (job == nullptr) {
        return Refusing{.why = Refusal::unknown_job,
                        .message = "there is no job " + to_string(update.job)};
    }
    JobUpdated ready = update;
    ready.by_operator = by_operator;
    Job changed = *job;
    Objection no = check_state(*job, ready);
    if (!no && !by_operator) no = check_rights(state, *job, ready);
    if (!no) no = check_texts(ready.name.value_or(""), ready.comment.value_or(""));
    if (!no) no = check_texts("", ready.admin_comment.value_or(""));
    if (!no) no = check_texts("", ready.extra.value_or(""));
    if (!no) no = check_begin(job->submitted_at, ready.begin);
    if (!no) no = check_mail(state.spec(), *job, ready);
    const bool waits_in_several =
        job->state == JobState::pending && names_several_partitions(job->spec);
    if (!no && ready.partitions) {
        no = change_in_several(state, now, ready, groups, changed);
    } else if (!no && waits_in_several && !ready.partition && asks_partitions(ready)) {
        no = change_where_it_waits(state, now, ready, groups, changed);
    } else if (!no) {
        no = change(state, now, ready, groups, changed);
    }
    if (no) return *std::move(no);
    if (ready.time_limit) ready.time_limit = changed.time_limit;
    if (ready.account) ready.account = changed.spec.account;
    if (ready.request) ready.request = changed.spec.request;
    if (ready.time_min) ready.time_min = changed.spec.time_min.value_or(Duration{});
    if (ready.nodelist) ready.nodelist = changed.spec.request->nodelist;
    if (ready.dependencies) ready.dependencies = changed.spec.dependencies;
    return ready;
}

}  // namespace berth
