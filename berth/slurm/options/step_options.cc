#include "berth/slurm/options/step_options.h"

#include "berth/base/text.h"
#include "berth/model/cpu_bind.h"
#include "berth/model/cpu_frequency.h"
#include "berth/model/gpu_frequency.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/mem_bind.h"
#include "berth/model/mpi_kind.h"
#include "berth/slurm/options/option_values.h"

namespace berth::slurm {

// Slurm's letters: g GPUs, n network cards, v says what is bound.
Status set_accel_bind(JobDraft& d, const char* v) {
    const std::string_view letters = v;
    if (letters.empty() || letters.find_first_not_of("gnv") != std::string_view::npos)
        return invalid_argument("Invalid --accel-bind specification");
    if (letters.find('n') != std::string_view::npos) {
        return Error{ErrorCode::failed_precondition,
                     "--accel-bind=n is not supported: bind network cards by the MPI library's own "
                     "variables"};
    }
    if (letters.find('g') != std::string_view::npos) d.spec.command.edit().gpu_bind = "closest";
    return Done{};
}

Status set_compress(JobDraft& d, const char* v) {
    const std::string_view kind = v == nullptr ? "lz4" : v;
    if (!iequals(kind, "lz4") && !iequals(kind, "none"))
        return invalid_argument("Compression type '" + std::string(kind) + "' unknown");
    d.of_step.broadcast.compresses = iequals(kind, "lz4");
    return Done{};
}

// "verbose" and "quiet" may stand before how tasks are bound, or alone. The lists of map_cpu and
// mask_cpu have commas, so that they end the value.
Status set_cpu_bind(JobDraft& d, const char* v) {
    std::string_view rest = v;
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(','));
        const bool quiet = iequals(word, "quiet") || iequals(word, "q");
        const bool verbose = iequals(word, "verbose") || iequals(word, "v");
        const std::string_view how = word.find(':') == std::string_view::npos ? word : rest;
        rest.remove_prefix(std::min(how.size() + 1, rest.size()));
        if (quiet || verbose) {
            d.of_step.binding.tells_cpu_bind = verbose;
            continue;
        }
        const Result<CpuBind> bind = CpuBind::parse(how);
        if (!bind.ok()) return bind.error();
        d.of_step.binding.cpu_bind = bind->kind == CpuBind::Kind::none ? "none" : to_lower(how);
        d.of_cpus.instead = std::max(d.of_cpus.instead, d.of_cpus.reading);
    }
    return Done{};
}

Status set_cpu_freq(JobDraft& d, const char* v) {
    const auto frequency = parse_cpu_frequency(v);
    if (!frequency.ok())
        return invalid_argument(frequency.error().message + "\nInvalid --cpu-freq argument");
    d.of_step.cpu_frequency = cpu_frequency_text(*frequency);
    return Done{};
}

Status set_gpu_freq(JobDraft& d, const char* v) {
    BERTH_CHECK(parse_gpu_frequency(v));
    d.of_step.gpu_frequency = v;
    return Done{};
}

// Cores need not be near GPUs in any case.
Status set_gres_flags(JobDraft&, const char* v) {
    for (const auto word : split(v, ',')) {
        if (iequals(word, "disable-binding")) continue;
        if (!iequals(word, "enforce-binding"))
            return invalid_argument("Invalid --gres-flags specification");
        return Error{ErrorCode::failed_precondition,
                     "--gres-flags=enforce-binding is not supported: GPUs near the cores are "
                     "preferred; whole nodes (--exclusive) have all of both"};
    }
    return Done{};
}

Status set_mem_bind(JobDraft& d, const char* v) {
    BERTH_TRY(const MemBind bind, MemBind::parse(v));
    d.of_step.binding.mem_bind = bind.kind == MemBind::Kind::none ? "none" : v;
    return Done{};
}

// Slurm's --profile takes no word that turns another off, so that "none" stands alone.
Status set_profile(JobDraft& d, const char* v) {
    if (iequals(v, "none")) {
        d.of_submission.as_given.no_profile = true;
        return Done{};
    }
    return Error{
        ErrorCode::failed_precondition,
        "--profile=" + std::string(v) +
            " is not supported: sstat and the metrics of /metrics show a running job's usage"};
}

Status set_network(JobDraft& d, const char* v) {
    d.of_submission.as_given.network = v;
    return Done{};
}

Status set_relative(JobDraft& d, const char* v) {
    const auto first = parse_int64(v);
    if (!first.ok() || first.value() < 0 || first.value() > UINT32_MAX)
        return invalid_number(v, "relative");
    d.of_step.relative = static_cast<std::uint32_t>(first.value());
    return Done{};
}

// "-K", "--kill-on-bad-exit=0"
Status set_kill_on_bad_exit(JobDraft& d, const char* v) {
    const auto number = v == nullptr ? Result<std::int64_t>(1) : parse_int64(v);
    if (!number.ok() || number.value() < 0) return invalid_number(v, "kill-on-bad-exit");
    d.kill_on_bad_exit = number.value() > 0;
    return Done{};
}

Status set_wait_for_tasks(JobDraft& d, const char* v) {
    const auto seconds = parse_int64(v);
    if (!seconds.ok() || seconds.value() < 0 || seconds.value() > 2'147'483)
        return invalid_number(v, "wait");
    d.wait_for_tasks = std::chrono::seconds(seconds.value());
    return Done{};
}

Status set_send_libs(JobDraft& d, const char* v) {
    const std::string_view word = v == nullptr ? "yes" : v;
    d.of_step.broadcast.libraries = iequals(word, "yes") || iequals(word, "y");
    if (d.of_step.broadcast.libraries || iequals(word, "no") || iequals(word, "n")) return Done{};
    return invalid_argument("Invalid --send-libs specification");
}

// A launcher of its own (mpirun's srun) needs none.
Status set_mpi(JobDraft& d, const char* v) {
    if (iequals(v, "list")) {
        d.mpi = "list";
        return Done{};
    }
    d.mpi = to_lower(v);
    if (is_mpi_kind(d.mpi)) return Done{};
    return invalid_argument("invalid MPI type '" + std::string(v) +
                            "', --mpi=list for acceptable types");
}

Status set_pty(JobDraft& d, const char* v) {
    if (v != nullptr) {
        return Error{ErrorCode::failed_precondition,
                     "--pty=" + std::string(v) + " is not supported yet; --pty is"};
    }
    d.pty = d.unbuffered = true;
    return Done{};
}

}  // namespace berth::slurm
