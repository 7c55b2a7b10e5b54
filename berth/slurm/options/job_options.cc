#include "berth/slurm/options/job_options.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "berth/base/duration_text.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/model/dependency_text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/mail.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/options/acting_user.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/options/layout_options.h"
#include "berth/slurm/options/near_options.h"
#include "berth/slurm/options/option_fault.h"
#include "berth/slurm/options/option_values.h"
#include "berth/slurm/options/other_options.h"
#include "berth/slurm/options/own_options.h"
#include "berth/slurm/options/site_options.h"
#include "berth/slurm/options/step_options.h"
#include "berth/slurm/options/time_options.h"
#include "berth/slurm/options/tres_per_task.h"

namespace berth::slurm {
namespace {

Error invalid_value(const char* option_name) {
    return invalid_argument(std::string("Invalid --") + option_name + " specification");
}

Status set_count(std::optional<std::uint32_t>& target, const char* value, const char* name) {
    const auto count = parse_positive(value);
    if (!count) return invalid_number(value, name);
    target = count;
    return Done{};
}

Status set_cpus_per_task(JobDraft& d, const char* v) {
    d.cpus_per_task_given = true;
    return set_count(d.spec.request.edit().cpus_per_task, v, "cpus-per-task");
}

Status set_memory(std::optional<Bytes>& target, const char* value, const char* name) {
    const auto size = parse_size(value);
    if (!size.ok()) return invalid_value(name);
    target = size.value();
    return Done{};
}

Status set_gpus(Shared<std::vector<GresRequest>>& target, const char* value, const char* name) {
    const auto gpus = parse_gpu_list(value);
    if (!gpus) return invalid_value(name);
    target = *gpus;
    return Done{};
}

// "-I" waits one second, "-I30" thirty.
Status set_immediate(JobDraft& d, const char* v) {
    const auto seconds = v == nullptr ? std::optional<std::uint32_t>(1) : parse_positive(v);
    if (!seconds) return invalid_number(v, "immediate");
    d.patience = std::chrono::seconds(*seconds);
    return Done{};
}

// "--get-user-env=10L": how long, and whether by a login shell (L) or a plain one (S).
Status set_get_user_env(JobDraft& d, const char* v) {
    const std::string_view text = v == nullptr ? "" : v;
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view mode = text.substr(digits);
    if (digits > 5 || (!mode.empty() && !iequals(mode, "L") && !iequals(mode, "S")))
        return invalid_value("get-user-env");
    d.of_script.get_user_env = std::string(digits == 0 ? "120" : text.substr(0, digits)) +
                               (iequals(mode, "S") ? "S" : "L");
    return Done{};
}

Status set_kill_command(JobDraft& d, const char* v) {
    d.of_allocation.kill_command =
        v == nullptr ? std::optional<std::int32_t>(SIGTERM) : parse_signal(v);
    if (!d.of_allocation.kill_command)
        return invalid_argument("Invalid --kill-command specification: " + std::string(v));
    return Done{};
}

Status set_signal(JobDraft& d, const char* v) {
    const auto warning = parse_warning(v);
    if (!warning) return invalid_argument("Invalid --signal specification: " + std::string(v));
    d.spec.command.edit().warning = *warning;
    return Done{};
}

Status set_verbose(JobDraft& d, const char*) {
    ++d.verbose;
    return Done{};
}

Status set_licenses(JobDraft& d, const char* v) {
    const auto licenses = parse_licenses(v);
    if (!licenses) return not_submitted("Invalid license specification");
    d.spec.request.edit().licenses = *licenses;
    return Done{};
}

Status set_dependency(JobDraft& d, const char* v) {
    const auto parsed = parse_dependencies(v);
    if (!parsed.ok() || parsed->all.empty()) return not_submitted("Job dependency problem");
    d.spec.dependencies = parsed->all;
    d.spec.any_dependency = parsed->any;
    d.of_submission.as_given.dependency = v;
    return Done{};
}

Status set_array(JobDraft& d, const char* v) {
    constexpr std::size_t kTasksMost = 1'000'000;  // What a submission can carry.
    d.spec.array = parse_array(v);
    if (!d.spec.array || d.spec.array->tasks.size() > kTasksMost)
        return not_submitted("Invalid job array specification");
    return Done{};
}

Status set_gres(JobDraft& d, const char* v) {
    const auto gres = parse_gres_list(v);
    if (!gres) return invalid_argument("Invalid generic resource (gres) specification");
    d.spec.request.edit().gres_per_node = *gres;
    d.gres_given = true;
    return Done{};
}

Status set_nodes(JobDraft& d, const char* v) {
    const auto count = parse_node_count(v);
    if (!count) return invalid_argument("\"" + std::string(v) + "\" is not a valid node count");
    if (count->least == 0) return not_submitted("Node count specification invalid");
    if (count->most < count->least) {
        return invalid_argument("Maximum node count " + std::to_string(*count->most) +
                                " is less than minimum node count " + std::to_string(count->least));
    }
    d.spec.request.edit().nodes_min = count->least;
    d.spec.request.edit().nodes_max = count->most;
    d.spec.request.edit().nodes_given = true;
    return Done{};
}

Status set_mail_type(JobDraft& d, const char* v) {
    const auto types = parse_mail_types(v);
    if (!types) return invalid_value("mail-type");
    d.spec.command.edit().mail_types = types->bits;
    return Done{};
}

Status set_open_mode(JobDraft& d, const char* v) {
    if (!iequals(v, "append") && !iequals(v, "a") && !iequals(v, "truncate") && !iequals(v, "t"))
        return invalid_value("open-mode");
    JobCommand& command = d.spec.command.edit();
    command.append_output = to_lower(v[0]) == 'a';
    command.truncate_output = !command.append_output;
    return Done{};
}

Status set_propagate(JobDraft& d, const char* v) {
    const auto limits = parse_rlimits(v == nullptr ? "ALL" : v);
    if (!limits.ok()) return prefixed("--propagate", limits.error());
    d.propagate = *limits;
    return Done{};
}

Status set_requeue(JobDraft& d, const char* v) {
    if (v != nullptr && !iequals(v, "expedite")) {
        return Error{ErrorCode::failed_precondition,
                     "--requeue=" + std::string(v) +
                         " is not supported yet; --requeue and --requeue=expedite are"};
    }
    d.spec.requeue = true;
    d.spec.expedite = v != nullptr;
    return Done{};
}

Status set_kill_on_invalid_dep(JobDraft& d, const char* v) {
    if (!iequals(v, "yes") && !iequals(v, "no"))
        return invalid_argument("Invalid --kill-on-invalid-dep specification: write yes or no");
    d.spec.command.edit().kill_on_invalid_dep = iequals(v, "yes");
    return Done{};
}

Status set_no_kill(JobDraft& d, const char* v) {
    const bool off = v != nullptr && (iequals(v, "off") || iequals(v, "no"));
    if (v != nullptr && !off && !iequals(v, "set")) {
        return invalid_argument("Invalid --no-kill specification: " + std::string(v) +
                                "; write --no-kill or --no-kill=off (in a variable: set or off)");
    }
    d.spec.command.edit().no_kill = !off;
    return Done{};
}

Status set_tres_per_task(JobDraft& d, const char* v) {
    BERTH_TRY(d.per_gpu.of_task, parse_tres_per_task(v));
    d.per_gpu.of_task->from = d.of_cpus.reading;
    d.of_submission.as_given.tres_per_task = v;
    return Done{};
}

Status set_het_group(JobDraft& d, const char* v) {
    d.het_groups = v;
    return Done{};
}

Status set_export(JobDraft& d, const char* v) {
    d.export_env = v;
    d.export_given = true;
    d.spec.command.edit().export_env = v;
    return Done{};
}

template <bool TopologyConstraint::* Flag>
Status near_flag(JobDraft& d, const char*) {
    d.spec.request.edit().nearness.edit().*Flag = true;
    return Done{};
}

// Options without meaning; what is no value of theirs is refused all the same.
Status ask_nothing(JobDraft&, const char*) { return Done{}; }
Status ask_no_number(JobDraft&, const char* v) {
    const auto number = parse_int64(v);
    if (!number.ok() || number.value() < 0)
        return invalid_argument("Invalid numeric value \"" + std::string(v) + "\"");
    return Done{};
}
Status ask_no_time(JobDraft&, const char* v) {
    if (!parse_time_limit(v).ok()) return invalid_value("delay-boot");
    return Done{};
}

template <bool JobDraft::* Flag>
Status flag(JobDraft& d, const char*) {
    d.*Flag = true;
    return Done{};
}

template <bool OfStep::* Flag>
Status step_flag(JobDraft& d, const char*) {
    d.of_step.*Flag = true;
    return Done{};
}

// clang-format off
constexpr auto kJobOptions = std::to_array<JobOption>({
    {"account", 'A', required_argument, kOfJob, [](JobDraft& d, const char* v) -> Status { d.spec.account = v; return Done{}; }},
    {"array", 'a', required_argument, kSbatch, set_array},
    {"begin", 'b', required_argument, kOfJob, set_begin},
    {"chdir", 'D', required_argument, kJobs, [](JobDraft& d, const char* v) -> Status { d.spec.command.edit().work_dir = v; return Done{}; }},
    {"comment", 0, required_argument, kOfJob, [](JobDraft& d, const char* v) -> Status { d.spec.comment = v; return Done{}; }},
    {"constraint", 'C', required_argument, kOfJob, [](JobDraft& d, const char* v) -> Status { d.spec.request.edit().constraint = v; return Done{}; }},
    {"cpus-per-gpu", 0, required_argument, kOfJob, [](JobDraft& d, const char* v) { return set_count(d.per_gpu.cpus, v, "cpus-per-gpu"); }},
    {"cpus-per-task", 'c', required_argument, kJobs, set_cpus_per_task},
    {"deadline", 0, required_argument, kOfJob, set_deadline},
    {"dependency", 'd', required_argument, kOfJob, set_dependency},
    {"error", 'e', required_argument, kBoth, [](JobDraft& d, const char* v) -> Status { d.spec.command.edit().std_err = v; return Done{}; }},
    {"gid", 0, required_argument, kOfJob, set_gid}, {"uid", 0, required_argument, kOfJob, set_uid},
    {"exact", 0, no_argument, kSrun, flag<&JobDraft::exact>},
    {"exclude", 'x', required_argument, kJobs, set_exclude},
    {"exclusive", 0, optional_argument, kJobs, set_exclusive},
    {"export", 0, required_argument, kBoth, set_export},
    {"extra", 0, required_argument, kOfJob, [](JobDraft& d, const char* v) -> Status { d.spec.command.edit().extra = v; return Done{}; }},
    {"gpu-bind", 0, required_argument, kJobs, set_gpu_bind},
    {"gpus", 'G', required_argument, kJobs, [](JobDraft& d, const char* v) { return set_gpus(d.spec.request.edit().gpus, v, "gpus"); }},
    {"gpus-per-node", 0, required_argument, kJobs, [](JobDraft& d, const char* v) { return set_gpus(d.spec.request.edit().gpus_per_node, v, "gpus-per-node"); }},
    {"gpus-per-task", 0, required_argument, kJobs, [](JobDraft& d, const char* v) { return set_gpus(d.spec.request.edit().gpus_per_task, v, "gpus-per-task"); }},
    {"gpus-per-socket", 0, required_argument, kOfJob, set_gpus_per_socket},
    {"gres", 0, required_argument, kJobs, set_gres},
    {"hold", 'H', no_argument, kOfJob, [](JobDraft& d, const char*) -> Status { d.spec.hold = true; return Done{}; }},
    {"immediate", 'I', optional_argument, kSrun | kSalloc, set_immediate},
    {"input", 'i', required_argument, kBoth, [](JobDraft& d, const char* v) -> Status { d.spec.command.edit().std_in = v; return Done{}; }},
    {"job-name", 'J', required_argument, kJobs, [](JobDraft& d, const char* v) -> Status { d.spec.name = v; return Done{}; }},
    {"jobid", 0, required_argument, kSrun, [](JobDraft& d, const char* v) -> Status { d.job_id = v; return Done{}; }},
    {"kill-command", 'K', optional_argument, kSalloc, set_kill_command},
    {"kill-on-invalid-dep", 0, required_argument, kSbatch, set_kill_on_invalid_dep},
    {"label", 'l', no_argument, kSrun, flag<&JobDraft::label>},
    {"licenses", 'L', required_argument, kOfJob, set_licenses},
    {"mail-type", 0, required_argument, kOfJob, set_mail_type},
    {"mail-user", 0, required_argument, kOfJob, [](JobDraft& d, const char* v) -> Status { d.spec.command.edit().mail_user = v; return Done{}; }},
    {"mem", 0, required_argument, kJobs, [](JobDraft& d, const char* v) { return set_memory(d.spec.request.edit().memory_per_node, v, "mem"); }},
    {"mem-per-cpu", 0, required_argument, kOfJob, [](JobDraft& d, const char* v) { return set_memory(d.spec.request.edit().memory_per_cpu, v, "mem-per-cpu"); }},
    {"mem-per-gpu", 0, required_argument, kOfJob, [](JobDraft& d, const char* v) { return set_memory(d.per_gpu.memory, v, "mem-per-gpu"); }},
    {"nice", 0, optional_argument, kOfJob, set_nice},
    {"no-kill", 'k', optional_argument, kOfJob, set_no_kill},
    {"no-requeue", 0, no_argument, kSbatch, [](JobDraft& d, const char*) -> Status { d.spec.requeue = false; return Done{}; }},
    {"no-shell", 0, no_argument, kSalloc, [](JobDraft& d, const char*) -> Status { d.of_allocation.no_shell = true; return Done{}; }},
    {"nodelist", 'w', required_argument, kJobs, set_nodelist},
    {"nodes", 'N', required_argument, kJobs, set_nodes},
    {"ntasks", 'n', required_argument, kJobs, [](JobDraft& d, const char* v) { return set_count(d.spec.request.edit().tasks, v, "ntasks"); }},
    {"ntasks-per-core", 0, required_argument, kOfJob, set_tasks_per_core}, {"ntasks-per-socket", 0, required_argument, kOfJob, set_tasks_per_socket},
    {"ntasks-per-gpu", 0, required_argument, kOfJob, [](JobDraft& d, const char* v) { return set_count(d.per_gpu.tasks, v, "ntasks-per-gpu"); }},
    {"ntasks-per-node", 0, required_argument, kJobs, [](JobDraft& d, const char* v) { return set_count(d.spec.request.edit().tasks_per_node, v, "ntasks-per-node"); }},
    {"open-mode", 0, required_argument, kBoth, set_open_mode},
    {"output", 'o', required_argument, kBoth, [](JobDraft& d, const char* v) -> Status { d.spec.command.edit().std_out = v; return Done{}; }},
    {"overcommit", 'O', no_argument, kJobs, set_overcommit},
    {"overlap", 0, no_argument, kSrun, flag<&JobDraft::overlap>}, {"oversubscribe", 's', no_argument, kJobs, set_oversubscribe},
    {"parsable", 0, no_argument, kSbatch, flag<&JobDraft::parsable>},
    {"partition", 'p', required_argument, kOfJob, [](JobDraft& d, const char* v) -> Status { d.spec.partition = v; return Done{}; }},
    {"priority", 0, required_argument, kOfJob, set_priority},
    {"propagate", 0, optional_argument, kBoth, set_propagate},
    {"pty", 0, optional_argument, kSrun, set_pty},
    {"qos", 'q', required_argument, kOfJob, [](JobDraft& d, const char* v) -> Status { d.spec.qos = v; return Done{}; }},
    {"quiet", 'Q', no_argument, kJobs, flag<&JobDraft::quiet>},
    {"requeue", 0, optional_argument, kSbatch, set_requeue},
    {"reservation", 0, required_argument, kOfJob, [](JobDraft& d, const char* v) -> Status { d.spec.request.edit().reservation = v; return Done{}; }},
    {"test-only", 0, no_argument, kJobs, flag<&JobDraft::test_only>},
    {"time", 't', required_argument, kJobs, set_time},
    {"time-min", 0, required_argument, kOfJob, set_time_min},
    {"unbuffered", 'u', no_argument, kSrun, flag<&JobDraft::unbuffered>},
    {"verbose", 'v', no_argument, kJobs, set_verbose},
    {"clusters", 'M', required_argument, kOfJob, [](JobDraft& d, const char* v) -> Status { d.of_submission.clusters = v; return Done{}; }},
    {"ignore-pbs", 0, no_argument, kSbatch, [](JobDraft& d, const char*) -> Status { d.of_script.ignore_pbs = true; return Done{}; }}, {"export-file", 0, required_argument, kSbatch, [](JobDraft& d, const char* v) -> Status { d.of_script.export_file = v; return Done{}; }},
    {"get-user-env", 0, optional_argument, kSbatch | kSalloc, set_get_user_env},
    {"batch", 0, required_argument, kSbatch, [](JobDraft& d, const char* v) -> Status { d.of_script.batch_features = v; return Done{}; }},
    {"bcast", 0, optional_argument, kSrun, [](JobDraft& d, const char* v) -> Status { d.of_step.broadcast.to = v == nullptr ? "" : v; return Done{}; }},
    {"bcast-exclude", 0, required_argument, kSrun, [](JobDraft& d, const char* v) -> Status { d.of_step.broadcast.exclude = v; return Done{}; }},
    {"compress", 0, optional_argument, kSrun, set_compress}, {"send-libs", 0, optional_argument, kSrun, set_send_libs},
    {"cpu-bind", 0, required_argument, kSrun, set_cpu_bind},
    {"cpu_bind", 0, required_argument, kSrun, set_cpu_bind},
    {"cpu-freq", 0, required_argument, kJobs, set_cpu_freq}, {"gpu-freq", 0, required_argument, kJobs, set_gpu_freq},
    {"kill-on-bad-exit", 'K', optional_argument, kSrun, set_kill_on_bad_exit},
    {"het-group", 0, required_argument, kSrun, set_het_group},
    {"pack-group", 0, required_argument, kSrun, set_het_group},
    {"mincpus", 0, required_argument, kOfJob, [](JobDraft& d, const char* v) { return set_count(d.of_cpus.least_on_node, v, "mincpus"); }},
    {"mpi", 0, required_argument, kSrun, set_mpi},
    {"signal", 0, required_argument, kOfJob, set_signal},
    {"wait", 'W', no_argument, kSbatch, flag<&JobDraft::wait>},
    {"wait", 'W', required_argument, kSrun, set_wait_for_tasks},
    {"wckey", 0, required_argument, kOfJob, [](JobDraft& d, const char* v) -> Status { d.spec.command.edit().wckey = v; return Done{}; }},
    {"wrap", 0, required_argument, kSbatch, [](JobDraft& d, const char* v) -> Status { d.of_script.wrap = v; return Done{}; }},
    {"contiguous", 0, no_argument, kOfJob, near_flag<&TopologyConstraint::contiguous>},
    {"distribution", 'm', required_argument, kJobs, set_distribution},
    {"segment", 0, required_argument, kOfJob, set_segment},
    {"spread-job", 0, no_argument, kOfJob, near_flag<&TopologyConstraint::spread>},
    {"switches", 0, required_argument, kOfJob, set_switches},
    {"accel-bind", 0, required_argument, kSrun, set_accel_bind},
    {"bell", 0, no_argument, kSalloc, [](JobDraft& d, const char*) -> Status { d.of_allocation.bell = true; return Done{}; }},
    {"no-bell", 0, no_argument, kSalloc, [](JobDraft& d, const char*) -> Status { d.of_allocation.bell = false; return Done{}; }},
    {"disable-status", 'X', no_argument, kSrun, step_flag<&OfStep::interrupts_tasks>},
    {"quit-on-interrupt", 0, no_argument, kSrun, step_flag<&OfStep::quits_on_interrupt>},
    {"epilog", 0, required_argument, kSrun, [](JobDraft& d, const char* v) -> Status { d.of_step.epilog = v; return Done{}; }},
    {"prolog", 0, required_argument, kSrun, [](JobDraft& d, const char* v) -> Status { d.of_step.prolog = v; return Done{}; }},
    {"preserve-env", 'E', no_argument, kSrun, step_flag<&OfStep::preserves_env>},
    {"task-epilog", 0, required_argument, kSrun, [](JobDraft& d, const char* v) -> Status { d.of_step.task_epilog = v; return Done{}; }},
    {"task-prolog", 0, required_argument, kSrun, [](JobDraft& d, const char* v) -> Status { d.of_step.task_prolog = v; return Done{}; }},
    {"gres-flags", 0, required_argument, kJobs, set_gres_flags},
    {"mem-bind", 0, required_argument, kJobs, set_mem_bind},
    {"multi-prog", 0, no_argument, kSrun, step_flag<&OfStep::multi_prog>},
    {"nodefile", 'F', required_argument, kJobs, set_nodefile},
    {"prefer", 0, required_argument, kOfJob, set_prefer},
    {"profile", 0, required_argument, kJobs, set_profile},
    {"relative", 'r', required_argument, kSrun, set_relative},
    {"core-spec", 'S', required_argument, kOfJob, set_core_spec}, {"thread-spec", 0, required_argument, kOfJob, set_thread_spec},
    {"cores-per-socket", 0, required_argument, kOfJob, set_cores_per_socket},
    {"extra-node-info", 'B', required_argument, kOfJob, set_node_shape},
    {"hint", 0, required_argument, kOfJob, set_hint},
    {"sockets-per-node", 0, required_argument, kOfJob, set_sockets},
    {"threads-per-core", 0, required_argument, kOfJob, set_threads_per_core},
    {"tmp", 0, required_argument, kOfJob, set_tmp_disk},
    {"tres-per-task", 0, required_argument, kJobs, set_tres_per_task},
    {"use-min-nodes", 0, no_argument, kOfJob, near_flag<&TopologyConstraint::fewest_nodes>},
    {"tasks-per-node", 0, required_argument, kJobs, [](JobDraft& d, const char* v) { return set_count(d.spec.request.edit().tasks_per_node, v, "ntasks-per-node"); }},
    {"bbf", 0, required_argument, kOfJob, set_burst_buffer_file}, {"reboot", 0, no_argument, kOfJob, set_reboot},
    {"resv-ports", 0, optional_argument, kSrun, set_reserved_ports}, {"x11", 0, optional_argument, kSrun | kSalloc, set_x11},
    // Berth's own.
    {"berth-affinity", 0, required_argument, kOfJob, set_affinity},
    {"berth-anti-affinity", 0, required_argument, kOfJob, set_anti_affinity},
    {"berth-checkpoint", 0, required_argument, kSbatch, set_checkpoint},
    {"berth-compact", 0, no_argument, kOfJob, near_flag<&TopologyConstraint::compact>},
    {"berth-compute-capability", 0, required_argument, kOfJob, set_compute_capability},
    {"berth-gpu-memory", 0, required_argument, kOfJob, set_gpu_memory},
    {"berth-max-wait", 0, required_argument, kOfJob, set_max_wait},
    {"berth-pack", 0, no_argument, kOfJob, near_flag<&TopologyConstraint::pack>},
    {"berth-priority-class", 0, required_argument, kOfJob, [](JobDraft& d, const char* v) -> Status { d.spec.request.edit().priority_class = v; return Done{}; }},
    {"berth-presume-dead", 0, no_argument, kOfJob, [](JobDraft& d, const char*) -> Status { d.spec.presume_dead = true; return Done{}; }},
    {"berth-restart-cost", 0, required_argument, kSbatch, set_restart_cost},
    // What they ask is so in any case: other_options.cc says why.
    {"acctg-freq", 0, required_argument, kJobs, ask_nothing}, {"delay-boot", 0, required_argument, kJobs, ask_no_time}, {"bb", 0, required_argument, kOfJob, ask_nothing},
    {"cluster-constraint", 0, required_argument, kJobs, ask_nothing}, {"mcs-label", 0, required_argument, kJobs, ask_nothing}, {"network", 0, required_argument, kJobs, set_network}, {"power", 0, required_argument, kJobs, ask_nothing},
    {"msg-timeout", 0, required_argument, kSrun, ask_no_number}, {"slurmd-debug", 0, required_argument, kSrun, set_slurmd_debug},
    {"threads", 'T', required_argument, kSrun, ask_no_number}, {"wait-all-nodes", 0, required_argument, kSbatch | kSalloc, ask_no_number},
    // Slurm's, refused by name: other_options.cc says what to use instead.
    {"async", 0, no_argument, kSrun},
    {"consolidate-segments", 0, no_argument}, {"container", 0, required_argument}, {"container-id", 0, required_argument},
    {"no-allocate", 'Z', no_argument, kSrun},
    {"oom-kill-step", 0, optional_argument},
    {"resv-ports", 0, optional_argument, kSbatch | kSalloc},
    {"resources", 0, required_argument}, {"spread-segments", 0, no_argument},
    {"external-launcher", 0, no_argument, kSrun}, {"wait-for-children", 0, no_argument, kSrun},
    {"stepmgr", 0, no_argument},
    {"treewidth", 0, required_argument}, {"tres-bind", 0, required_argument},
    {"x11", 0, optional_argument, kSbatch},
});
// clang-format on

}  // namespace

std::span<const JobOption> job_options() { return kJobOptions; }

std::vector<option> getopt_rows(CommandBits command) {
    std::vector<option> rows;
    for (std::size_t i = 0; i < kJobOptions.size(); ++i) {
        if ((kJobOptions[i].commands & command) == 0) continue;
        rows.push_back({kJobOptions[i].name, kJobOptions[i].argument, nullptr,
                        kFirstOptionValue + static_cast<int>(i)});
    }
    rows.push_back({"help", no_argument, nullptr, 'h'});
    rows.push_back({"usage", no_argument, nullptr, 'h'});
    rows.push_back({"version", no_argument, nullptr, 'V'});
    rows.push_back({nullptr, 0, nullptr, 0});
    return rows;
}

std::string getopt_letters(CommandBits command) {
    std::string letters = "hV";
    for (const JobOption& row : kJobOptions) {
        if (row.letter == 0 || (row.commands & command) == 0) continue;
        letters += row.letter;
        if (row.argument == required_argument) letters += ':';
        if (row.argument == optional_argument) letters += "::";
    }
    return letters;
}

const JobOption* option_of(CommandBits command, int letter_or_value) {
    if (letter_or_value >= kFirstOptionValue) {
        return &kJobOptions[static_cast<std::size_t>(letter_or_value - kFirstOptionValue)];
    }
    const auto found = std::ranges::find_if(kJobOptions, [&](const JobOption& row) {
        return row.letter != 0 && row.letter == letter_or_value && (row.commands & command) != 0;
    });
    return found == kJobOptions.end() ? nullptr : &*found;
}

Status apply_option(const JobOption& row, JobDraft& draft, const char* value, OfCpus::From from) {
    draft.of_cpus.reading = from;
    if (row.set == nullptr) return refuse_option(row.name);
    if ((row.commands & kNotStep) != 0) draft.of_job.emplace_back(row.name);
    return row.set(draft, value);
}

namespace {

// It may stand alone, and mostly does; a number is none of its values.
bool is_switch(std::string_view name) { return name == "requeue" || name == "exclusive"; }

// Variables of srun that stand for no option alone.
Status apply_step_variables(const Invocation& call, JobDraft& draft) {
    const std::string* const plane = call.variable("SLURM_DIST_PLANESIZE");
    const std::string* const order = call.variable("SLURM_DISTRIBUTION");
    if (!draft.in_a_job && plane != nullptr && order != nullptr && iequals(*order, "plane"))
        BERTH_CHECK(set_distribution(draft, ("plane=" + *plane).c_str()));
    const std::string* const gres = draft.in_a_job ? call.variable("SLURM_STEP_GRES") : nullptr;
    return gres == nullptr ? Status(Done{}) : set_gres(draft, gres->c_str());
}

// Within a task of a step, SLURM_CPU_BIND tells how that task is bound: no wish for its own steps.
bool tells_of_its_task(const Invocation& call, const InputVariable& variable) {
    if (std::string_view(variable.name) != kSlurmCpuBind) return false;
    const std::string* const how = call.variable(kSlurmCpuBindVerbose);
    const std::string* const type = call.variable(kSlurmCpuBindType);
    const std::string* const list = call.variable(kSlurmCpuBindList);
    if (how == nullptr || type == nullptr || list == nullptr) return false;
    return *call.variable(variable.name) == *how + "," + *type + *list;
}

}  // namespace

Status apply_environment(const Invocation& call, CommandBits command, JobDraft& draft) {
    const bool in_a_job = command == kSrun && draft.in_a_job;
    for (const SetVariable& set : set_variables(call, getopt_rows(command))) {
        if (in_a_job && !set.variable->in_a_job) continue;
        if (tells_of_its_task(call, *set.variable)) continue;
        const JobOption& row = *option_of(command, set.letter);
        const char* value = set.value;
        const bool has_size = call.variable("SLURM_DIST_PLANESIZE") != nullptr;
        if (command == kSrun && row.set == set_distribution && has_size && iequals(value, "plane"))
            continue;                                   // Below, with its size.
        if (value != nullptr && is_switch(row.name)) {  // SBATCH_REQUEUE=1 is --requeue.
            if (!turns_on(value)) continue;
            if (std::string_view(value) == "1" || iequals(value, "yes") || iequals(value, "set"))
                value = nullptr;
        }
        if (const Status applied = apply_option(row, draft, value, OfCpus::From::environment);
            !applied.ok()) {
            const std::string& said = *call.variable(set.variable->name);
            return prefixed(set.variable->name + ("=" + said + ": "), applied.error());
        }
    }
    if (command == kSrun) BERTH_CHECK(apply_step_variables(call, draft));
    const char* who = command == kSbatch ? "SBATCH" : command == kSalloc ? "SALLOC" : "SLURM";
    const std::string* const wait =
        in_a_job ? nullptr : call.variable(std::string(who) + "_WAIT4SWITCH");
    return wait == nullptr ? Status(Done{}) : set_switches_wait(draft, wait->c_str());
}

}  // namespace berth::slurm
