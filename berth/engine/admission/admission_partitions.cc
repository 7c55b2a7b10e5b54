// Admission: jobs that name several partitions (-p a,b), each judged as if it were the only one.
#include <algorithm>

#include "berth/base/text.h"
#include "berth/engine/admission/admission_checks.h"

namespace berth {
namespace {

constexpr std::size_t kPartitionsMost = 64;

// "a, b,,a": each once, in the order given.
std::vector<std::string> names_in(const std::string& list) {
    std::vector<std::string> names;
    for (const std::string_view word : split(list, ',')) {
        const std::string_view name = trim(word);
        if (!name.empty() && std::ranges::find(names, name) == names.end())
            names.emplace_back(name);
    }
    return names;
}

}  // namespace

std::variant<Job, Refusing> admit_in_several(
    const ClusterSpec& spec, const std::string& list,
    const std::function<std::variant<Job, Refusing>(const std::string& partition)>& admit_in) {
    const std::vector<std::string> names = names_in(list);
    if (names.empty() || names.size() > kPartitionsMost) {
        return refuse(Refusal::unknown_partition,
                      "a job can name 1 to " + std::to_string(kPartitionsMost) +
                          " partitions; this list has " + std::to_string(names.size()));
    }
    const bool all = spec.scheduling.enforce_part_limits == "ALL";
    Objection first;
    std::optional<Job> job;
    std::vector<std::string> taking;
    for (const std::string& name : names) {
        auto one = admit_in(name);
        if (auto* const no = std::get_if<Refusing>(&one)) {
            if (all || no->why == Refusal::unknown_partition) return std::move(*no);
            if (!first) first = std::move(*no);
            continue;
        }
        Job& admitted = std::get<Job>(one);
        taking.push_back(admitted.spec.partition);
        const auto tier = [&](const Job& of) { return spec.partition(of.partition).priority_tier; };
        if (!job || tier(admitted) > tier(*job)) job = std::move(admitted);
    }
    if (!job) return *std::move(first);
    job->spec.partition = join(taking, ",");
    return *std::move(job);
}

}  // namespace berth
