// Limits: how much the jobs of an account, a user or a QOS may have. Absent: no limit here.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"

namespace berth {

// By TRES: "cpu", "mem" (in MiB), "node", "billing", "gres/gpu" (of any type), "gres/gpu:a100",
// "license/matlab". In that order; each once. Those of queues may be of a flavor: "cpu:gpu-a100".
using TresLimits = std::vector<std::pair<std::string, std::int64_t>>;

// One list for accounts, users and QOS: which of them may have what is for who reads it to say.
struct Limits {
    TresLimits max_tres_per_job, max_tres_per_node;
    TresLimits max_tres_per_user, max_tres_per_account;  // Of a QOS.
    TresLimits max_tres_minutes_per_job;
    TresLimits min_tres_per_job;  // Of a QOS.
    TresLimits group_tres, group_tres_run_minutes;
    std::optional<std::uint32_t> max_jobs,
        max_submitted;  // Of each user; of an association, its own.
    std::optional<std::uint32_t> max_jobs_per_account, max_submitted_per_account;  // Of a QOS.
    std::optional<std::uint32_t> group_jobs, group_submitted;
    std::optional<Duration> max_wall;    // Of an association; a QOS has its own field.
    TresLimits group_tres_minutes;       // Of an association: see engine's Budgets.
    std::optional<Duration> group_wall;  // Likewise: the time that all runs took.

    bool none() const { return *this == Limits{}; }

    BERTH_FIELDS(Limits, max_tres_per_job, max_tres_per_node, max_tres_per_user,
                 max_tres_per_account, max_tres_minutes_per_job, min_tres_per_job, group_tres,
                 group_tres_run_minutes, max_jobs, max_submitted, max_jobs_per_account,
                 max_submitted_per_account, group_jobs, group_submitted, max_wall,
                 group_tres_minutes, group_wall)
};

// "cpu=4,gres/gpu:a100=2,mem=16G". A count of -1 is kept: it takes a limit away. nullopt: not such
// a list.
std::optional<TresLimits> parse_tres_counts(std::string_view text);
// The same, and each may name a flavor: "cpu:gpu-a100=256".
std::optional<TresLimits> parse_flavored_counts(std::string_view text);
std::string to_text(const TresLimits& counts);  // "cpu=4,mem=16G,gres/gpu=2"

// What `before` is after "set …=changes": each TRES named takes its new count, or goes with -1.
TresLimits changed(TresLimits before, const TresLimits& changes);

// The kinds of TRES that Slurm has reasons of their own for.
enum class TresKind : std::uint8_t { cpu, mem, node, gres, license, billing };
inline constexpr std::size_t kTresKinds = 6;
TresKind kind_of_tres(std::string_view tres);

}  // namespace berth
