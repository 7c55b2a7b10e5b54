// ClusterSpec: the cluster as the administrator describes it. What `config` makes of the files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/shared.h"
#include "berth/base/shared_list.h"
#include "berth/base/shared_text.h"
#include "berth/model/flavor.h"
#include "berth/model/gpu_defaults.h"
#include "berth/model/inherited.h"
#include "berth/model/license.h"
#include "berth/model/limits.h"
#include "berth/model/node.h"
#include "berth/model/preemption.h"
#include "berth/model/priority_class.h"
#include "berth/model/queue.h"
#include "berth/model/usage.h"

namespace berth {

// What a TRES weighs, in millionths for each so many of it: of memory, "mem=0.25G" is 250000 for
// each GiB.
struct TresWeight {
    std::string tres;  // "cpu", "mem", "node", "gres/gpu" (of any type), "gres/gpu:a100"
    std::int64_t micro = 0;
    std::int64_t per = 1;  // Bytes for memory, else pieces.

    BERTH_FIELDS(TresWeight, tres, micro, per)
};

enum class PartitionState : std::uint8_t { up, down, drain, inactive };

struct PartitionSpec {
    std::string name;
    Shared<std::vector<NodeId>> nodes;  // Sorted.
    bool is_default = false;
    std::optional<Duration> max_time;      // nullopt: no limit.
    std::optional<Duration> default_time;  // nullopt: max_time.
    std::uint32_t min_nodes = 0;
    std::optional<std::uint32_t> max_nodes;  // nullopt: no limit.
    PartitionState state = PartitionState::up;
    std::int64_t priority_job_factor = 1;
    std::int64_t priority_tier = 1;
    std::optional<Bytes> default_memory_per_cpu;
    std::optional<Bytes> default_memory_per_node;
    std::optional<Bytes> max_memory_per_cpu;
    std::optional<Bytes> max_memory_per_node;
    std::vector<std::string> allow_accounts, deny_accounts, allow_groups, allow_qos,
        deny_qos;  // Empty: all.
    bool hidden = false;
    bool root_only = false;
    std::string oversubscribe = "NO";  // See oversubscribe.h: "YES:2".
    bool exclusive = false;            // OverSubscribe=EXCLUSIVE: whole nodes only.
    bool gone = false;  // No longer configured; here for its id alone (see engine's keep_ids).
    std::vector<TresWeight> billing_weights;  // TRESBillingWeights; empty: one for each CPU.
    bool all_nodes = false;                   // Nodes=ALL: those that join, too.
    std::vector<std::string> node_features;   // Those that join with one of these, too: NodeSet.
    std::optional<PreemptMode> preempt_mode;  // nullopt: the cluster's.
    Duration grace_time{};  // What is preempted here is warned, and has so long to end.
    std::string qos;  // QOS=: its limits bind all jobs here, beside their own QOS. Empty: none.
    bool disable_root_jobs = false;
    bool requires_reservation = false;        // ReqResv: jobs must name one.
    bool least_loaded_nodes = false;          // LLN: jobs get the nodes with the most idle CPUs.
    GpuDefaults job_defaults;                 // JobDefaults
    std::vector<std::string> alloc_nodes;     // Hosts from which jobs are submitted. Empty: all.
    std::optional<Duration> over_time_limit;  // OverTimeLimit; nullopt: the cluster's.
    std::optional<std::uint32_t> max_cpus_per_node;  // Of all its jobs together; nullopt: no limit.

    BERTH_FIELDS(PartitionSpec, name, nodes, is_default, max_time, default_time, min_nodes,
                 max_nodes, state, priority_job_factor, priority_tier, default_memory_per_cpu,
                 default_memory_per_node, max_memory_per_cpu, max_memory_per_node, allow_accounts,
                 deny_accounts, allow_groups, allow_qos, deny_qos, hidden, root_only, oversubscribe,
                 exclusive, gone, billing_weights, all_nodes, node_features, preempt_mode,
                 grace_time, qos, disable_root_jobs, requires_reservation, job_defaults,
                 alloc_nodes, over_time_limit, least_loaded_nodes, max_cpus_per_node)

    // OverSubscribe=FORCE: --exclusive of a job does not count. With FORCE:1 each core has one job.
    bool ignores_exclusive() const { return oversubscribe.starts_with("FORCE"); }
    static constexpr const char* kForceOne = "FORCE:1";
};

struct QosSpec {
    std::string name;
    std::int64_t priority = 0;
    std::optional<Duration> max_wall;
    bool gone = false;           // As a partition's.
    Ppm usage_factor = kPpmOne;  // What its jobs' usage counts times.
    Limits limits;
    bool deny_on_limit = false;  // Refuse at once what a limit would keep waiting.
    std::string description;
    // Preemption by QOS: whose jobs those of this one preempt, and how its own are preempted.
    std::vector<std::string> preempt;
    std::optional<PreemptMode> preempt_mode;  // nullopt: the cluster's.
    bool preempt_within = false;              // With preempt_mode.
    Duration grace_time{};
    std::optional<Duration> preempt_exempt;  // nullopt: the cluster's.
    // OverPartQOS: where both set a limit, that of a job's QOS counts and not that of its
    // partition's.
    bool over_partition_qos = false;

    BERTH_FIELDS(QosSpec, name, priority, max_wall, gone, usage_factor, limits, deny_on_limit,
                 description, preempt, preempt_mode, preempt_within, grace_time, preempt_exempt,
                 over_partition_qos)
};

struct AccountSpec {
    std::string name;
    std::string parent;  // "root" at the top.
    std::string description, organization;
    std::int64_t shares = 1;
    bool shares_of_parent = false;         // Fairshare=parent: those beneath it compete above it.
    std::optional<std::int64_t> priority;  // nullopt: as the account above it.
    Limits limits;
    std::vector<std::string> qos;  // Those open to its users; empty: as the account above it.
    std::string default_qos;
    std::vector<std::string> coordinators;  // Users: see coordination.h. Sorted, each once.

    BERTH_FIELDS(AccountSpec, name, parent, description, organization, shares, shares_of_parent,
                 priority, limits, qos, default_qos, coordinators)
};

// A user in an account: Slurm's association.
struct AssociationSpec {
    std::string account, user;
    bool is_default = false;
    std::int64_t shares = 1;
    std::vector<std::string> qos;  // Empty: all.
    std::string default_qos;
    bool shares_of_parent = false;         // Fairshare=parent.
    std::optional<std::int64_t> priority;  // nullopt: as its account.
    Limits limits;

    BERTH_FIELDS(AssociationSpec, account, user, is_default, shares, qos, default_qos,
                 shares_of_parent, priority, limits)
};

// A rule and its settings, as data: which rules make up the site's policy. Values are whole numbers
// in the unit that the rule documents.
struct RuleSpec {
    std::string kind;  // "priority", "placement" …
    std::string name;  // "age", "size" …
    std::int64_t weight = 0;
    std::vector<std::pair<std::string, std::int64_t>> settings;

    BERTH_FIELDS(RuleSpec, kind, name, weight, settings)
};

// How the weights of a job's TRES make its billing (PriorityFlags MAX_TRES, MAX_TRES_GRES).
enum class BillingSum : std::uint8_t { all, largest, largest_and_gres };

// Who is promised a start, and how often all are looked at. Counts of 0 are no limit.
struct PlanningSpec {
    // How many blocked jobs of each get a planned start in a cycle.
    std::uint32_t depth_per_user = 0, depth_per_partition = 0, depth_per_user_and_partition = 0,
                  depth_per_association = 0;
    Duration min_age{};             // None before it has been eligible for so long …
    std::int64_t min_priority = 0;  // … or with less than this.
    std::uint32_t starts_max = 0;   // Of one cycle, and how long after it the next one comes.
    Duration starts_pause = std::chrono::seconds(30);
    Duration cycle_pause{};      // From one cycle to the next.
    Duration submission_wait{};  // How long a submission alone waits for a cycle.
    std::optional<Duration> switches_wait_max;
    // A job that is first, has no known start and has been eligible for so long holds nodes;
    // Duration::max(): never.
    Duration hold_after = std::chrono::hours(1);

    BERTH_FIELDS(PlanningSpec, depth_per_user, depth_per_partition, depth_per_user_and_partition,
                 depth_per_association, min_age, min_priority, starts_max, starts_pause,
                 cycle_pause, submission_wait, switches_wait_max, hold_after)
};

struct SchedulingSpec {
    std::vector<RuleSpec> rules;
    bool backfill = true;            // False: strictly in order (sched/builtin).
    std::uint32_t plan_depth = 500;  // How many blocked jobs get a planned start in a cycle.
    Duration plan_window = std::chrono::hours(24 * 30);
    Duration kill_wait = std::chrono::seconds(30);  // TERM to KILL.
    Duration agent_timeout =
        std::chrono::seconds(300);  // Silence after which a node is not responding.
    Duration heartbeat = std::chrono::seconds(30);
    Duration min_job_age =
        std::chrono::seconds(300);  // How long a finished job stays in squeue's reach.
    Duration over_time_limit{};
    std::uint32_t max_job_count = 200'000;
    std::uint32_t max_array_size = 1001;  // Slurm: the largest index is one less.
    std::uint32_t first_job_id = 1;
    std::uint32_t max_job_id = 0x03ff0000;
    bool requeue_by_default = true;          // JobRequeue.
    bool enforce_accounts = false;           // Refuse jobs of users without an association.
    std::string enforce_part_limits = "NO";  // NO, ANY, ALL.
    UsageDecay usage_decay;
    BillingSum billing_sum = BillingSum::all;
    std::vector<TresWeight> priority_tres;               // PriorityWeightTRES.
    Duration priority_period = std::chrono::minutes(1);  // How often priorities are worked out.
    bool prioritize_running = false;    // Of running jobs, too (CALCULATE_RUNNING).
    bool priorities_only_rise = false;  // INCR_ONLY
    bool enforce_limits = false;        // AccountingStorageEnforce=limits.
    PlanningSpec planning;
    bool user_top = false;      // Users may order their own jobs with `scontrol top`.
    Duration inactive_limit{};  // A client of an interactive job may be silent for; 0: for ever.
    PreemptionSpec preemption;
    bool kill_invalid_depend = false;  // Jobs whose dependency has failed, unless they say no.
    Duration time_slice = std::chrono::seconds(30);  // Of runs that take turns.
    // RequeueExit, RequeueExitHold: a script that ends with one of these exit codes is requeued, or
    // requeued and held. In ascending order.
    std::vector<std::int32_t> requeue_exit, requeue_exit_hold;

    BERTH_FIELDS(SchedulingSpec, rules, backfill, plan_depth, plan_window, kill_wait, agent_timeout,
                 heartbeat, min_job_age, over_time_limit, max_job_count, max_array_size,
                 first_job_id, max_job_id, requeue_by_default, enforce_accounts,
                 enforce_part_limits, usage_decay, billing_sum, priority_tres, priority_period,
                 prioritize_running, priorities_only_rise, enforce_limits, planning, user_top,
                 inactive_limit, preemption, kill_invalid_depend, time_slice, requeue_exit,
                 requeue_exit_hold)
};

// How the agents confine jobs: cgroup.conf; and whom they let run any: UsePAM of slurm.conf.
struct ConfinementSpec {
    bool cores = false;
    bool devices = false;
    bool memory = false;
    bool swap = false;
    std::int64_t allowed_ram_percent = 100;
    std::int64_t allowed_swap_percent = 0;
    bool use_pam = false;
    bool remove_shared_memory = false;  // What a user's last job on a node leaves; else reported.

    BERTH_FIELDS(ConfinementSpec, cores, devices, memory, swap, allowed_ram_percent,
                 allowed_swap_percent, use_pam, remove_shared_memory)
};

// What jobs and steps have unless their user says otherwise, in slurm.conf's words.
struct LaunchSpec {
    bool append_output = false;                 // JobFileAppend
    RlimitSet propagated_limits = kAllRlimits;  // PropagateResourceLimits[Except]
    bool kill_on_bad_exit = false;              // KillOnBadExit: of steps whose srun says nothing.
    Duration
        wait_for_tasks{};  // WaitTime: from the first task's end to that of the step; 0: for ever.
    std::uint32_t max_step_count = 40'000;   // MaxStepCount: of one job.
    std::uint32_t max_tasks_per_node = 512;  // MaxTasksPerNode: of one step.

    BERTH_FIELDS(LaunchSpec, append_output, propagated_limits, kill_on_bad_exit, wait_for_tasks,
                 max_step_count, max_tasks_per_node)
};

// The site's programs around a job, in slurm.conf's words. Paths may have * and ? in their last
// part, which each node looks up for itself.
enum class Hook : std::uint8_t { none, prolog, epilog };
struct HookSpec {
    std::vector<std::string> prolog, epilog;  // As root, on each node: before and after a job.
    std::string task_prolog, task_epilog;     // As the user, around each task of a step or script.
    Duration timeout{};                       // Of prolog and epilog, each; 0: as long as it takes.
    bool hold_on_failure = true;  // A job whose prolog failed is held, not only requeued.
    // PrologSlurmctld, EpilogSlurmctld: as the controller's user, on its host.
    std::vector<std::string> controller_prolog, controller_epilog;
    std::string srun_prolog, srun_epilog;  // As the user, where srun runs: around each step.

    BERTH_FIELDS(HookSpec, prolog, epilog, task_prolog, task_epilog, timeout, hold_on_failure,
                 controller_prolog, controller_epilog, srun_prolog, srun_epilog)
};

// Who is told what becomes of jobs: slurm.conf's MailProg and MailDomain, and berth.yaml's
// `notifications`.
struct NotificationSpec {
    std::string mail_program = "/bin/mail";  // Empty: no mail is sent.
    std::string mail_domain;
    std::string webhook;               // "https://…"; empty: none.
    std::uint32_t webhook_events = 0;  // MailType's bits, of every job.
    std::string webhook_secret_file;   // Whose content signs what is sent; empty: unsigned.

    BERTH_FIELDS(NotificationSpec, mail_program, mail_domain, webhook, webhook_events,
                 webhook_secret_file)
};

// What becomes of a node that is not heard of any more and still holds jobs: berth.yaml's `fence`.
struct FenceSpec {
    std::string program;  // Proves it dead by switching it off. Empty: there is none.
    Duration timeout = std::chrono::seconds(60);  // Of one try.
    // A node silent for so long is taken for dead without any proof; nullopt: never.
    std::optional<Duration> presume_dead_after;

    BERTH_FIELDS(FenceSpec, program, timeout, presume_dead_after)
};

// The site's programs for its nodes, in slurm.conf's words.
struct HealthCheckSpec {
    // HealthCheckNodeState, as bits.
    enum State : std::uint8_t {
        kIdle = 1,
        kAllocated = 2,
        kMixed = 4,
        kAny = 8,
        kNonDrainedIdle = 16,
        kStartOnly = 32,
    };
    std::string health_check;
    Duration health_interval{};  // 0: none.
    std::uint8_t health_states = kAny;
    bool health_cycle = false;  // Spread over the interval, instead of all nodes at once.
    std::string reboot;
    Duration resume_timeout = std::chrono::seconds(60);
    Duration sampling{};  // JobAcctGatherFrequency; 0: what runs is not measured.
    // ReturnToService: whether a node that was down takes work when it registers. nullopt: it does,
    // unless an administrator set it down.
    std::optional<std::uint8_t> return_to_service;
    // A node on which killed processes live on for so long is drained, and the program runs there:
    // UnkillableStepTimeout, UnkillableStepProgram.
    Duration unkillable_wait = std::chrono::seconds(60);
    std::string unkillable_program;

    BERTH_FIELDS(HealthCheckSpec, health_check, health_interval, health_states, health_cycle,
                 reboot, resume_timeout, sampling, return_to_service, unkillable_wait,
                 unkillable_program)
};

// PrivateData: what users without a right to it see of their own only.
enum class PrivateKind : std::uint8_t {
    accounts,
    events,
    jobs,
    nodes,
    partitions,
    reservations,
    usage,
    users
};
constexpr std::uint32_t bit_of(PrivateKind kind) { return 1U << static_cast<unsigned>(kind); }

// DebugFlags: what the logs tell beyond the usual.
enum class DebugFlag : std::uint8_t { gres, steps };
constexpr std::uint32_t bit_of(DebugFlag flag) { return 1U << static_cast<unsigned>(flag); }

// A copy costs little, whatever the size of the cluster: it shares the nodes, accounts and
// associations of the original until one of the two changes them.
// JobSubmitPlugins: what sees submissions and changes of jobs before the controller does.
struct JobSubmitSpec {
    std::vector<std::string> plugins;  // In their order: "lua", "all_partitions" …
    SharedText script;                 // With "lua": the text of job_submit.lua.

    BERTH_FIELDS(JobSubmitSpec, plugins, script)
};

struct ClusterSpec {
    std::string name = "cluster";
    std::string controller_host;
    Dimensions dimensions;
    SharedList<NodeSpec> nodes;             // NodeId is the index.
    std::vector<PartitionSpec> partitions;  // PartitionId is the index.
    std::vector<QosSpec> qos;               // QosId is the index; "normal" is always there, at 0.
    SharedList<AccountSpec> accounts;
    SharedList<AssociationSpec> associations;
    std::vector<std::string> operators;  // User names that may act on others' jobs and on nodes.
    SchedulingSpec scheduling;
    ConfinementSpec confinement;
    std::vector<std::pair<std::string, std::string>>
        settings;                       // All of slurm.conf, for `show config`.
    std::vector<LicenseSpec> licenses;  // By name.
    HookSpec hooks;
    FenceSpec fence;
    HealthCheckSpec care;
    NotificationSpec notifications;
    std::string mpi_default;           // Of steps whose srun says nothing; none: "none".
    std::uint32_t max_node_count = 0;  // MaxNodeCount; 0: those that are configured, and no more.
    LaunchSpec launch;
    std::string slurm_user;          // SlurmUser: this user is an administrator. Empty: none.
    std::uint32_t private_data = 0;  // PrivateData, as PrivateKind's bits.
    std::uint32_t debug_flags = 0;   // DebugFlags, as DebugFlag's bits.
    std::vector<PriorityClassSpec> priority_classes;
    std::vector<QueueSpec> queues;  // Accounts with quotas.
    JobSubmitSpec job_submit;
    std::vector<FlavorSpec> flavors;

    // What is gone is found among the nodes only: its agent may still have ends to report.
    std::optional<NodeId> find_node(std::string_view name) const;
    std::optional<PartitionId> find_partition(std::string_view name) const;
    std::optional<QosId> find_qos(std::string_view name) const;
    std::optional<PartitionId> default_partition() const;
    const NodeSpec& node(NodeId id) const { return nodes[id.value()]; }
    const PartitionSpec& partition(PartitionId id) const { return partitions[id.value()]; }
    // How much longer than their limits jobs there may run.
    Duration over_time_limit(PartitionId id) const {
        return partition(id).over_time_limit.value_or(scheduling.over_time_limit);
    }

    BERTH_FIELDS(ClusterSpec, name, controller_host, dimensions, nodes, partitions, qos, accounts,
                 associations, operators, scheduling, confinement, settings, licenses, hooks, fence,
                 care, notifications, mpi_default, max_node_count, launch, slurm_user, private_data,
                 debug_flags, priority_classes, queues, job_submit, flavors)
};

}  // namespace berth
