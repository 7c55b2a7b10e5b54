#include "berth/slurm/step/held_nodes.h"

#include <algorithm>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/step/held_signals.h"

namespace berth::slurm {
namespace {

// "4(x2),1" -> {4, 4, 1}; empty where that is no such list.
std::vector<std::uint32_t> read_counts(const std::string& text) {
    std::vector<std::uint32_t> counts;
    for (const std::string_view part : split(text, ',')) {
        const std::size_t open = part.find("(x");
        const auto count = parse_int64(part.substr(0, open));
        const auto times = open == std::string_view::npos
                               ? Result<std::int64_t>(1)
                               : parse_int64(part.substr(open + 2, part.size() - open - 3));
        if (!count.ok() || !times.ok() || *count < 0 || *times < 1 || *times > 65'536) return {};
        counts.insert(counts.end(), static_cast<std::size_t>(*times),
                      static_cast<std::uint32_t>(*count));
    }
    return counts;
}

HeldNodes from_variables(const Invocation& call, const std::string& job) {
    const std::string* const id = call.variable(kSlurmJobId);
    const std::string* const list = call.variable(kSlurmJobNodelist);
    const std::string* const cpus = call.variable(kSlurmJobCpusPerNode);
    if (id == nullptr || *id != job || list == nullptr || cpus == nullptr) return {};
    auto names = expand_hostlist(*list);
    HeldNodes held;
    held.cpus = read_counts(*cpus);
    if (!names.ok() || names->size() != held.cpus.size()) return {};
    held.names = *std::move(names);
    return held;
}

}  // namespace

Result<HeldNodes> HeldNodes::of(const Invocation& call, const std::string& job, JobLook& look) {
    HeldNodes held = from_variables(call, job);
    if (!held.names.empty()) return held;
    const auto rows = look.at(job);
    if (!rows && is_silent(rows.problem())) return held;  // The step's creation will wait for it.
    if (!rows) return Error{ErrorCode::unavailable, slurm_message(rows.problem())};
    for (const api::NodeShareRow& share : rows->front().shares) {
        held.names.push_back(share.node);
        held.cpus.push_back(share.cpus);
    }
    return held;
}

void HeldNodes::count_usable(const std::string& job, JobLook& look) {
    const auto rows = look.at(job);
    if (!rows || rows->empty()) return;
    for (const api::NodeShareRow& share : rows->front().shares) {
        const auto at = std::ranges::find(names, share.node);
        if (at == names.end() || share.usable_cpus == 0) continue;
        std::uint32_t& here = cpus[static_cast<std::size_t>(at - names.begin())];
        here = std::min(here, share.usable_cpus);  // SLURM_JOB_CPUS_PER_NODE may say less.
    }
}

HeldNodes HeldNodes::without(const std::vector<std::string>& excluded) const {
    HeldNodes rest;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (std::ranges::find(excluded, names[i]) != excluded.end()) continue;
        rest.names.push_back(names[i]);
        rest.cpus.push_back(cpus[i]);
    }
    return rest;
}

std::uint32_t HeldNodes::tasks_of(std::uint32_t cpus_per_task, std::uint32_t nodes) const {
    std::uint32_t tasks = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(nodes, cpus.size()); ++i)
        tasks += cpus[i] / std::max(1U, cpus_per_task);
    return tasks;
}

}  // namespace berth::slurm
