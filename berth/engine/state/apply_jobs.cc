// How facts change the state: submissions, changes by users and the planner to pending jobs, and
// their removal.
#include <algorithm>

#include "berth/engine/state/cluster_state_change.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

// When more tasks of an array than this are cancelled at once, this many get their own record, and
// one record stands for the rest.
constexpr std::size_t kCancelledRecordsMax = 1000;

void cancel(Job& job, Time now) {
    job.state = JobState::cancelled;
    job.ended_at = now;
    job.state_reason.clear();
}

void set_hold(Job& job, Hold hold) {
    job.hold = hold;
    if (hold != Hold::none) return;
    job.state_reason.clear();  // "launch failed requeued held" no longer applies.
    if (job.spec.priority == 0U) job.spec.priority.reset();
}

void set_priority(Job& job, std::uint32_t priority, bool by_operator) {
    job.spec.priority = priority;
    if (priority > 0) {
        set_hold(job, Hold::none);
    } else if (job.hold == Hold::none) {
        job.hold = by_operator ? Hold::admin : Hold::user;
    }
}

void update_request(Job& job, const JobUpdated& fact) {
    if (fact.request) job.spec.request = *fact.request;
    if (fact.deadline) job.spec.deadline = *fact.deadline;
    if (fact.time_min) {
        job.spec.time_min = *fact.time_min > Duration{} ? fact.time_min : std::nullopt;
    }
    if (fact.time_limit) {
        job.time_limit = *fact.time_limit;
        job.spec.request.edit().time_limit = *fact.time_limit;
    }
    if (fact.nodelist) job.spec.request.edit().nodelist = *fact.nodelist;
    if (fact.nice) job.spec.nice = static_cast<std::int32_t>(*fact.nice);
    if (fact.site_factor) job.site_factor = *fact.site_factor;
    if (fact.name) job.spec.name = *fact.name;
    if (fact.comment) job.spec.comment = *fact.comment;
    if (fact.mail_types) job.spec.command.edit().mail_types = *fact.mail_types;
    if (fact.mail_user) job.spec.command.edit().mail_user = *fact.mail_user;
    if (fact.requeue) job.spec.requeue = fact.requeue;
    if (fact.std_out) job.spec.command.edit().std_out = *fact.std_out;
    if (fact.std_err) job.spec.command.edit().std_err = *fact.std_err;
    if (fact.std_in) job.spec.command.edit().std_in = *fact.std_in;
    if (fact.work_dir) job.spec.command.edit().work_dir = *fact.work_dir;
    if (fact.wckey) job.spec.command.edit().wckey = *fact.wckey;
    if (fact.extra) job.spec.command.edit().extra = *fact.extra;
    if (fact.admin_comment) job.spec.command.edit().admin_comment = *fact.admin_comment;
    if (fact.begin) job.spec.begin = *fact.begin;
    if (fact.dependencies) {
        job.spec.dependencies = *fact.dependencies;
        job.spec.any_dependency = fact.any_dependency.value_or(job.spec.any_dependency);
        job.dependency_failed = false;
    }
    if (fact.array_max_running) {
        job.array_max_running = *fact.array_max_running;
        if (job.spec.array) job.spec.array->max_running = *fact.array_max_running;
    }
}

// The job's planned start may not fit the changed job.
bool changes_plan(const JobUpdated& fact) {
    return fact.time_limit || fact.partition || fact.nodelist || fact.begin || fact.dependencies ||
           fact.request || fact.deadline || fact.time_min || fact.account;
}

}  // namespace

void ClusterState::take(Time now, const JobSubmitted& fact) {
    BERTH_ASSERT(fact.job.state == JobState::pending);
    usage_index(now, fact.job.spec.account, fact.job.owner->user);
    Job job = fact.job;
    parts_.share(job);
    insert_job(std::move(job));
    set_counters(epoch_, id_after(fact.job.id));
}

void ClusterState::take(Time now, const JobUpdated& fact) {
    if (fact.account) usage_index(now, *fact.account, jobs_.at(fact.job).owner->user);
    change_job(fact.job, [&](Job& job) {
        const bool several = fact.partitions || names_several_partitions(job.spec);
        update_request(job, fact);
        parts_.share(job.spec);
        if (fact.partition) {
            job.partition = *fact.partition;
            job.spec.partition =
                fact.partitions ? *fact.partitions : spec().partition(*fact.partition).name;
        }
        if (fact.qos) {
            job.qos = *fact.qos;
            job.spec.qos = spec().qos[fact.qos->index()].name;
        }
        if (fact.partition && several && !job.spec.request->time_limit)
            job.time_limit = default_time_limit(spec(), job.partition, job.qos);
        if (fact.priority) berth::set_priority(job, *fact.priority, fact.by_operator);
        if (fact.account) {
            job.spec.account = *fact.account;
            leaves_.erase(job.id);
        }
    });
    const Job& job = jobs_.at(fact.job);
    if (!changes_plan(fact) && job.hold == Hold::none) return;
    set_planned(fact.job, std::nullopt);
    drop_preemptor_hold(now, fact.job);
}

void ClusterState::take(Time now, const JobHeld& fact) {
    change_job(fact.job, [&](Job& job) { set_hold(job, fact.hold); });
    if (fact.hold == Hold::none) return;
    set_planned(fact.job, std::nullopt);
    drop_preemptor_hold(now, fact.job);
}

void ClusterState::take(Time now, const JobCancelled& fact) {
    const Job& job = jobs_.at(fact.job);
    BERTH_ASSERT(job.state == JobState::pending);
    const bool some = job.spec.array && !fact.array_tasks.empty() &&
                      fact.array_tasks.size() < job.spec.array->tasks.size();
    set_planned(fact.job, std::nullopt);
    if (some) {
        cancel_tasks(now, fact);
    } else {
        change_job(fact.job, [&](Job& record) {
            cancel(record, now);
            record.state_reason = fact.reason;
        });
    }
}

// Each cancelled task is shown and accounted as a job record of its own.
void ClusterState::cancel_tasks(Time now, const JobCancelled& fact) {
    const std::size_t single = std::min(fact.array_tasks.size(), kCancelledRecordsMax);
    for (std::size_t i = 0; i < single; ++i) {
        const JobId id = split_task(fact.job, fact.array_tasks[i], next_job_id_);
        change_job(id, [&](Job& task) { cancel(task, now); });
    }
    if (single == fact.array_tasks.size()) return;
    std::vector<std::uint32_t> rest(fact.array_tasks.begin() + static_cast<std::ptrdiff_t>(single),
                                    fact.array_tasks.end());
    std::sort(rest.begin(), rest.end());
    Job record = jobs_.at(fact.job);
    record.id = next_job_id_;
    record.array_job = fact.job;
    record.spec.request_id.clear();
    record.spec.array->tasks = rest;
    cancel(record, now);
    change_job(fact.job, [&](Job& array) {
        std::erase_if(array.spec.array->tasks, [&](std::uint32_t task) {
            return std::binary_search(rest.begin(), rest.end(), task);
        });
    });
    insert_job(std::move(record));
    set_counters(epoch_, id_after(next_job_id_));
}

// Moves the task out of the array's record into a new record with this `id`. If it is the last
// task, the array's record becomes the task's.
JobId ClusterState::split_task(JobId array, std::uint32_t task, JobId id) {
    const Job& record = jobs_.at(array);
    BERTH_ASSERT(record.spec.array && record.state == JobState::pending);
    const std::vector<std::uint32_t>& tasks = record.spec.array->tasks;
    BERTH_ASSERT(std::binary_search(tasks.begin(), tasks.end(), task));
    const bool last = tasks.size() == 1;
    BERTH_ASSERT(last == (id == array));
    const auto become_task = [&](Job& job) {
        job.array_job = array;
        job.array_task = task;
        job.spec.array.reset();
    };
    if (last) {
        change_job(array, become_task);
        return array;
    }
    Job own = record;
    own.id = id;
    // It identifies the submission of the array, whose record keeps it.
    own.spec.request_id.clear();
    become_task(own);
    change_job(array, [&](Job& job) { std::erase(job.spec.array->tasks, task); });
    insert_job(std::move(own));
    if (id == next_job_id_) set_counters(epoch_, id_after(id));
    return id;
}

void ClusterState::take(Time, const TaskSplit& fact) {
    BERTH_ASSERT(fact.task_job == next_job_id_);
    set_planned(fact.array, std::nullopt);
    split_task(fact.array, fact.task, fact.task_job);
}

void ClusterState::take(Time now, const JobForgotten& fact) {
    const Job* job = find_job(fact.job);
    if (job == nullptr) return;
    BERTH_ASSERT(is_final(job->state));
    if (!job->spec.request_id.empty()) {
        if (undo_.recording()) {
            undo_.record(RequestsBefore{std::make_shared<const PastRequests>(past_requests_)});
        }
        past_requests_.remember({job->spec.request_id, job->id, job->owner->uid, now});
    }
    erase_job(fact.job);
}

void ClusterState::take(Time, const PlanJob& fact) {
    const Job* const job = find_job(fact.job);
    BERTH_ASSERT(!fact.planned || (job != nullptr && job->state == JobState::pending));
    set_planned(fact.job, fact.planned);
    if (!fact.chooses_anew || job == nullptr) return;
    set_preemptor_hold(fact.job, std::nullopt);
    set_preemptor_rest(record_of_array(*this, *job), std::nullopt);
}

void ClusterState::take(Time, const DependencyFailed& fact) {
    change_job(fact.job, [](Job& job) { job.dependency_failed = true; });
    set_planned(fact.job, std::nullopt);
}

void ClusterState::take(Time now, const JobMoved& fact) {
    BERTH_ASSERT(jobs_.at(fact.job).state == JobState::pending);
    set_planned(fact.job, std::nullopt);
    drop_preemptor_hold(now, fact.job);
    change_job(fact.job, [&](Job& job) {
        job.partition = fact.partition;
        job.time_limit = fact.time_limit;
        job.spec.flavor = fact.flavor;
    });
}

void ClusterState::take(Time now, const JobEligible& fact) {
    change_unindexed(fact.job, [&](Job& job) { job.eligible_at = now; });
}

void ClusterState::take(Time now, const JobsPlanned& fact) {
    for (const auto& [id, planned] : fact.jobs) take(now, PlanJob{id, planned});
}

void ClusterState::take(Time now, const JobsEligible& fact) {
    for (const JobId id : fact.jobs) take(now, JobEligible{id});
}

}  // namespace berth
