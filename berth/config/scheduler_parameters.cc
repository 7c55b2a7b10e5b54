#include "berth/config/scheduler_parameters.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"

namespace berth::config {
namespace {

constexpr std::int64_t kJobsMax = 10'000'000;
constexpr std::int64_t kSecondsMax = 30 * 24 * 3600;
constexpr std::int64_t kMinutesMax = 43'200;

std::uint32_t count(std::int64_t value) { return static_cast<std::uint32_t>(value); }
// The clock of a cycle has milliseconds.
Duration from_micros(std::int64_t value) { return Duration((value + 999) / 1000); }
Duration from_seconds(std::int64_t value) { return std::chrono::seconds(value); }

void limit_starts(SchedulingSpec& spec, std::int64_t value) {
    std::uint32_t& most = spec.planning.starts_max;
    if (value > 0 && (most == 0 || most > value)) most = count(value);
}
void limit_partition(SchedulingSpec& spec, std::int64_t value) {
    std::uint32_t& most = spec.planning.depth_per_partition;
    if (value > 0 && (most == 0 || most > value)) most = count(value);
}
void wait_with_submissions(SchedulingSpec& spec, Duration wait) {
    spec.planning.submission_wait = std::max(spec.planning.submission_wait, wait);
}

constexpr std::string_view kNoLocks =
    "nothing waits for the scheduler: readers have a copy of their own, and requests are handled "
    "between cycles";
constexpr std::string_view kBudget =
    "placement attempts bound a cycle, and the next cycle continues where it stopped";
constexpr std::string_view kExact = "planned starts are exact, to the millisecond";
constexpr std::string_view kFewest = "the search always finds the fewest jobs to preempt";
constexpr std::string_view kAll =
    "each cycle tries every pending job that could use what has changed";

constexpr auto kParameters = std::to_array<SchedulerParameter>({
    {"batch_sched_delay",
     [](SchedulingSpec& spec, std::int64_t value) {
         wait_with_submissions(spec, from_seconds(value));
     },
     "", 0, kSecondsMax},
    {"bf_allow_magnetic_slot"},
    {"bf_busy_nodes", nullptr, "the fullest node that fits is taken in any case"},
    {"bf_continue", nullptr, "each cycle continues where the previous one stopped"},
    {"bf_hetjob_immediate"},
    {"bf_hetjob_prio"},
    {"bf_ignore_newly_avail_nodes", nullptr,
     "what becomes free is offered to jobs in their order"},
    {"bf_interval",
     [](SchedulingSpec& spec, std::int64_t value) {
         if (value < 0) spec.backfill = false;
         if (value > 0) spec.planning.starts_pause = from_seconds(value);
     },
     "", -1, kSecondsMax},
    {"bf_job_part_count_reserve", limit_partition, "", 0, kJobsMax},
    {"bf_licenses", nullptr, "the plan always knows licenses"},
    {"bf_max_job_array_resv", nullptr, "only the next task of an array has a planned start"},
    {"bf_max_job_assoc",
     [](SchedulingSpec& spec, std::int64_t value) {
         spec.planning.depth_per_association = count(value);
     },
     "", 0, kJobsMax},
    {"bf_max_job_part", limit_partition, "", 0, kJobsMax},
    {"bf_max_job_start", limit_starts, "", 0, kJobsMax},
    {"bf_max_job_test",
     [](SchedulingSpec& spec, std::int64_t value) { spec.plan_depth = count(value); }, "", 1,
     kJobsMax},
    {"bf_max_job_user",
     [](SchedulingSpec& spec, std::int64_t value) { spec.planning.depth_per_user = count(value); },
     "", 0, kJobsMax},
    {"bf_max_job_user_part",
     [](SchedulingSpec& spec, std::int64_t value) {
         spec.planning.depth_per_user_and_partition = count(value);
     },
     "", 0, kJobsMax},
    {"bf_max_time", nullptr, kBudget},
    {"bf_min_age_reserve",
     [](SchedulingSpec& spec, std::int64_t value) {
         spec.planning.min_age = from_seconds(value);
     },
     "", 0, kSecondsMax},
    {"bf_min_prio_reserve",
     [](SchedulingSpec& spec, std::int64_t value) { spec.planning.min_priority = value; }, "", 0,
     0xffff'fffe},
    {"bf_node_space_size", nullptr, "the plan has no table of a fixed size"},
    {"bf_one_resv_per_job", nullptr, "a job has at most one planned start"},
    {"bf_resolution", nullptr, kExact},
    {"bf_running_job_reserve", nullptr, "the plan always knows what running jobs hold"},
    {"bf_topopt_enable"},
    {"bf_window",
     [](SchedulingSpec& spec, std::int64_t value) {
         spec.plan_window = std::chrono::minutes(value);
     },
     "", 1, 10 * kMinutesMax},
    {"bf_window_linear", nullptr, kExact},
    {"bf_yield_interval", nullptr, kNoLocks},
    {"bf_yield_rpc_cnt", nullptr, kNoLocks},
    {"bf_yield_sleep", nullptr, kNoLocks},
    {"build_queue_timeout", nullptr, "the order of jobs is kept, not built in each cycle"},
    {"correspond_after_task_cnt"},
    {"default_queue_depth", nullptr, kAll},
    // The answer leaves first; what came meanwhile is scheduled together.
    {"defer",
     [](SchedulingSpec& spec, std::int64_t) { wait_with_submissions(spec, Duration(1)); }},
    {"defer_batch",
     [](SchedulingSpec& spec, std::int64_t) { wait_with_submissions(spec, Duration(1)); }},
    {"disable_hetjob_steps"},
    {"disable_job_shrink"},
    {"enable_hetjob_steps"},
    {"enable_job_state_cache", nullptr, kNoLocks},
    {"enable_user_top", [](SchedulingSpec& spec, std::int64_t) { spec.user_top = true; }},
    {"extra_constraints"},
    {"ignore_constraint_validation"},
    {"ignore_prefer_validation"},
    {"Ignore_NUMA"},
    {"max_array_tasks"},
    {"max_rpc_cnt", nullptr, kNoLocks},
    {"max_sched_time", nullptr, kBudget},
    {"max_script_size"},
    {"max_submit_line_size"},
    {"max_switch_wait",
     [](SchedulingSpec& spec, std::int64_t value) {
         spec.planning.switches_wait_max = from_seconds(value);
     },
     "", 0, kSecondsMax},
    {"no_backup_scheduling", nullptr, "there is no backup controller"},
    {"no_env_cache"},
    {"nohold_on_prolog_fail", [](SchedulingSpec&, std::int64_t) {}},  // Read with the hooks.
    {"pack_serial_at_end"},
    {"partition_job_depth", nullptr, kAll},
    {"preempt_reorder_count", nullptr, kFewest},
    {"preempt_send_user_signal",
     [](SchedulingSpec& spec, std::int64_t) { spec.preemption.user_signal = true; }},
    {"preempt_strict_order", nullptr, kFewest},
    {"preempt_youngest_first",
     [](SchedulingSpec& spec, std::int64_t) { spec.preemption.youngest_first = true; }},
    {"reduce_completing_frag"},
    {"requeue_on_resume_failure"},
    {"requeue_delay"},
    {"requeue_setup_env_fail"},
    {"salloc_wait_nodes"},
    {"sbatch_wait_nodes"},
    {"sched_interval", nullptr, "a cycle follows every event, so none is needed in between"},
    {"sched_max_job_start", limit_starts, "", 0, kJobsMax},
    {"sched_min_interval",
     [](SchedulingSpec& spec, std::int64_t value) {
         // Slurm's own default, 2 µs, is shorter than a cycle.
         spec.planning.cycle_pause = value < 1000 ? Duration{} : from_micros(value);
     },
     "", 0, kSecondsMax * 1'000'000},
    {"spec_cores_first"},
    {"step_retry_count"},
    {"step_retry_time"},
    {"time_min_as_soft_limit"},
    {"whole_hetjob"},
    {"whole_pack"},
});

void read_parameter(Draft& draft, const Line& line, const Pair& pair, std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string name(trim(text.substr(0, equals)));
    const SchedulerParameter* known = find_scheduler_parameter(name);
    if (known == nullptr) {
        std::string message = "there is no option " + name + " in SchedulerParameters";
        std::vector<std::string_view> names;
        names.reserve(kParameters.size());
        for (const SchedulerParameter& one : kParameters) names.push_back(one.name);
        if (const auto meant = nearest(name, names)) message += "; did you mean " + *meant + "?";
        return draft.error(line, pair, message);
    }
    if (known->set == nullptr) {
        const std::string said = "SchedulerParameters: " + std::string(trim(text));
        return draft.warning(line, pair,
                             known->why.empty()
                                 ? said + " has no effect yet"
                                 : said + " has no effect: " + std::string(known->why));
    }
    std::int64_t value = 0;
    if (known->low <= known->high) {
        Pair number{.key = name, .value = std::nullopt, .line = pair.line};
        number.value = equals == std::string_view::npos
                           ? std::string()
                           : std::string(trim(text.substr(equals + 1)));
        const std::size_t before = draft.findings.all().size();
        value = number_or(draft, line, number, known->low, known->high, 0);
        if (draft.findings.all().size() != before) return;
    }
    known->set(draft.spec.scheduling, value);
}

}  // namespace

std::span<const SchedulerParameter> scheduler_parameters() { return kParameters; }

const SchedulerParameter* find_scheduler_parameter(std::string_view name) {
    const auto found = std::ranges::find_if(
        kParameters, [&](const SchedulerParameter& one) { return iequals(one.name, name); });
    return found == kParameters.end() ? nullptr : &*found;
}

void read_scheduler_parameters(Draft& draft, const Line& line) {
    const Pair* parameters = draft.global("schedulerparameters");
    if (parameters == nullptr) return;
    bool has_interval = false;
    for (const auto text : split(*parameters->value, ',')) {
        if (!trim(text).empty()) read_parameter(draft, line, *parameters, text);
        has_interval = has_interval || iequals(trim(text.substr(0, text.find('='))), "bf_interval");
    }
    const SchedulingSpec& spec = draft.spec.scheduling;
    if (has_interval && spec.backfill && spec.planning.starts_max == 0) {
        draft.warning(
            line, *parameters,
            "SchedulerParameters: bf_interval has no effect without bf_max_job_start: the "
            "plan follows every event");
    }
}

}  // namespace berth::config
