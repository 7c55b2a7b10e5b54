// The fields of sprio: what each letter of -o prints, of a job and of the weights.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::slurm {

// What slurm.conf gives each term; 0 where it says nothing.
struct PriorityWeights {
    std::int64_t age = 0, association = 0, fair_share = 0, size = 0, partition = 0, qos = 0;
    std::string tres;   // As configured.
    std::string other;  // Terms that Slurm has no column for: "deadline=5000".
};
PriorityWeights weights_of(const api::ConfigRow& config);
std::string setting_of(const api::ConfigRow& config, std::string_view name);  // Empty: none.

struct PriorityField {
    char letter;
    std::string_view header;
    std::string (*text)(const api::PriorityRow& row, const PriorityWeights& weights);
    std::string (*weight)(const PriorityWeights& weights);
};
const PriorityField* find_priority_field(char letter);  // nullptr: sprio has none.

// "-Y,i": the highest priority first, then by id.
Status sort_priorities(std::vector<api::PriorityRow>& rows, std::string_view keys);

}  // namespace berth::slurm
