// slurm.conf's words about the site's own programs around jobs: Prolog, Epilog, PrologSlurmctld,
// EpilogSlurmctld, TaskProlog, TaskEpilog, SrunProlog, SrunEpilog, PrologEpilogTimeout,
// PrologFlags; and UsePAM.
#include "berth/base/text.h"
#include "berth/base/yes_no.h"
#include "berth/config/draft.h"

namespace berth::config {
namespace {

constexpr std::int64_t kNoTimeout = 65534;  // As Slurm writes "none".

// False, and said: it is no path.
bool is_path(Draft& draft, const Line& line, const Pair& pair) {
    if (pair.value->starts_with('/')) return true;
    draft.error(line, pair,
                pair.key + "=" + *pair.value + " should be an absolute path, like /etc/slurm/" +
                    to_lower(pair.key) + ".sh");
    return false;
}

void read_hook(Draft& draft, const Line& line, const Pair& pair) {
    HookSpec& hooks = draft.spec.hooks;
    if (!pair.value || pair.value->empty()) return;
    const auto add_to = [&](std::vector<std::string>& programs) {
        if (is_path(draft, line, pair)) programs.push_back(*pair.value);
    };
    const auto set = [&](std::string& program) {
        if (is_path(draft, line, pair)) program = *pair.value;
    };
    if (iequals(pair.key, "Prolog")) add_to(hooks.prolog);
    if (iequals(pair.key, "Epilog")) add_to(hooks.epilog);
    if (iequals(pair.key, "PrologSlurmctld")) add_to(hooks.controller_prolog);
    if (iequals(pair.key, "EpilogSlurmctld")) add_to(hooks.controller_epilog);
    if (iequals(pair.key, "TaskProlog")) set(hooks.task_prolog);
    if (iequals(pair.key, "TaskEpilog")) set(hooks.task_epilog);
    if (iequals(pair.key, "SrunProlog")) set(hooks.srun_prolog);
    if (iequals(pair.key, "SrunEpilog")) set(hooks.srun_epilog);
    if (iequals(pair.key, "PrologEpilogTimeout")) {
        const std::int64_t value = number_or(draft, line, pair, 1, kNoTimeout, kNoTimeout);
        hooks.timeout = std::chrono::seconds(value == kNoTimeout ? 0 : value);
    }
    if (iequals(pair.key, "UsePAM")) {
        const auto yes = parse_yes_no(*pair.value);
        if (!yes) draft.error(line, pair, "UsePAM=" + *pair.value + " should be 1 or 0");
        draft.spec.confinement.use_pam = yes.value_or(false);
    }
    if (!iequals(pair.key, "PrologFlags")) return;
    for (const std::string_view flag : split(*pair.value, ',')) {
        // The first two are how it is here: on every node, before anything of the job runs.
        if (iequals(flag, "Alloc") || iequals(flag, "Contain") || flag.empty()) continue;
        draft.warning(line, pair, "PrologFlags=" + std::string(flag) + " has no effect yet");
    }
}

}  // namespace

void read_hook_keys(Draft& draft, const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        for (const Pair& pair : line.pairs) read_hook(draft, line, pair);
    }
    const Pair* parameters = draft.global("schedulerparameters");
    if (parameters == nullptr) return;
    for (const std::string_view one : split(*parameters->value, ',')) {
        if (iequals(trim(one), "nohold_on_prolog_fail")) draft.spec.hooks.hold_on_failure = false;
    }
}

}  // namespace berth::config
