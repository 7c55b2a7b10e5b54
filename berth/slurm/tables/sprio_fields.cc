#include "berth/slurm/tables/sprio_fields.h"

#include <algorithm>
#include <array>

#include "berth/base/quantity.h"
#include "berth/base/text.h"
#include "berth/model/micro.h"

namespace berth::slurm {
namespace {

using api::PriorityRow;
using Weights = PriorityWeights;

// A whole number, rounded to the nearest, halves to even, as printf does.
std::string whole_points(std::int64_t micropoints) {
    const bool negative = micropoints < 0;
    const std::int64_t size = negative ? -micropoints : micropoints;
    std::int64_t points = size / kMicro;
    const std::int64_t rest = size % kMicro;
    if (rest > kMicro / 2 || (rest == kMicro / 2 && points % 2 != 0)) ++points;
    return (negative ? "-" : "") + std::to_string(points);
}

// part / divisor with so many digits behind the point, rounded to the nearest.
std::string decimal(Wide part, Wide divisor, int digits) {
    Wide scale = 1;
    for (int i = 0; i < digits; ++i) scale *= 10;
    const bool negative = part < 0;
    const Wide size = negative ? -part : part;
    const Wide all = divisor == 0 ? 0 : (size * scale * 2 + divisor) / (divisor * 2);
    const std::string rest = std::to_string(static_cast<std::int64_t>(all % scale));
    return (negative ? "-" : "") + std::to_string(static_cast<std::int64_t>(all / scale)) + "." +
           std::string(static_cast<std::size_t>(digits) - rest.size(), '0') + rest;
}

std::string normal(std::int64_t micropoints, std::int64_t weight) {
    return decimal(micropoints, Wide{weight} * kMicro, 7);
}

std::string tres_factors(const PriorityRow& row, bool normalized) {
    std::string text;
    for (const api::TresPriorityRow& one : row.tres) {
        text +=
            (text.empty() ? "" : ",") + one.tres + "=" +
            (normalized ? decimal(one.micropoints, one.weight, 2) : whole_points(one.micropoints));
    }
    return text;
}

std::string other_terms(const PriorityRow& row, bool normalized) {
    std::string text;
    for (const api::PriorityTermRow& one : row.other_terms) {
        text += (text.empty() ? "" : ",") + one.term + "=" +
                (normalized ? decimal(one.micropoints, one.weight * kMicro, 2)
                            : whole_points(one.micropoints));
    }
    return text;
}

std::string none(const Weights&) { return ""; }

#define BERTH_TERM(small, large, header, part, weight_name)                                       \
    PriorityField{                                                                                \
        small, header,                                                                            \
        [](const PriorityRow& r, const Weights& w) { return normal(r.part, w.weight_name); },     \
        [](const Weights& w) { return std::to_string(w.weight_name); }},                          \
        PriorityField {                                                                           \
        large, header, [](const PriorityRow& r, const Weights&) { return whole_points(r.part); }, \
            [](const Weights& w) { return std::to_string(w.weight_name); }                        \
    }

constexpr auto kPriorityFields = std::to_array<PriorityField>({
    BERTH_TERM('a', 'A', "AGE", age, age),
    BERTH_TERM('b', 'B', "ASSOC", association, association),
    BERTH_TERM('f', 'F', "FAIRSHARE", fair_share, fair_share),
    BERTH_TERM('j', 'J', "JOBSIZE", job_size, size),
    BERTH_TERM('p', 'P', "PARTITION", partition_part, partition),
    BERTH_TERM('q', 'Q', "QOS", qos_part, qos),
    {'c', "CLUSTER", [](const PriorityRow& r, const Weights&) { return r.cluster; }, none},
    {'i', "JOBID", [](const PriorityRow& r, const Weights&) { return to_string(r.job); },
     [](const Weights&) { return std::string("Weights"); }},
    {'n', "QOSNAME", [](const PriorityRow& r, const Weights&) { return r.qos; }, none},
    {'N', "NICE", [](const PriorityRow& r, const Weights&) { return std::to_string(r.nice); },
     none},
    {'o', "ACCOUNT", [](const PriorityRow& r, const Weights&) { return r.account; }, none},
    {'r', "PARTITION", [](const PriorityRow& r, const Weights&) { return r.partition; }, none},
    {'S', "SITE", [](const PriorityRow& r, const Weights&) { return whole_points(r.site); },
     [](const Weights&) { return std::string("1"); }},
    {'t', "TRES", [](const PriorityRow& r, const Weights&) { return tres_factors(r, true); }, none},
    {'T', "TRES", [](const PriorityRow& r, const Weights&) { return tres_factors(r, false); },
     [](const Weights& w) { return w.tres; }},
    {'x', "TERMS", [](const PriorityRow& r, const Weights&) { return other_terms(r, true); }, none},
    {'X', "TERMS", [](const PriorityRow& r, const Weights&) { return other_terms(r, false); },
     [](const Weights& w) { return w.other; }},
    {'u', "USER",
     [](const PriorityRow& r, const Weights&) {
         return r.owner.user.empty() ? std::to_string(r.owner.uid) : *r.owner.user;
     },
     none},
    {'y', "PRIORITY",
     [](const PriorityRow& r, const Weights&) { return decimal(r.priority, 0xffff'ffff, 14); },
     none},
    {'Y', "PRIORITY",
     [](const PriorityRow& r, const Weights&) { return std::to_string(r.priority); }, none},
});
#undef BERTH_TERM

// < 0: a comes first.
int compare_rows(char key, const PriorityRow& a, const PriorityRow& b) {
    const auto by = [](const auto& x, const auto& y) { return x < y ? -1 : x > y ? 1 : 0; };
    switch (key) {
        case 'a':
        case 'A': return by(a.age, b.age);
        case 'b':
        case 'B': return by(a.association, b.association);
        case 'f':
        case 'F': return by(a.fair_share, b.fair_share);
        case 'j':
        case 'J': return by(a.job_size, b.job_size);
        case 'p':
        case 'P': return by(a.partition_part, b.partition_part);
        case 'q':
        case 'Q': return by(a.qos_part, b.qos_part);
        case 'S': return by(a.site, b.site);
        case 'N': return by(a.nice, b.nice);
        case 'n': return by(a.qos, b.qos);
        case 'o': return by(a.account, b.account);
        case 'r': return by(a.partition, b.partition);
        case 'u': return by(a.owner.user, b.owner.user);
        case 'y':
        case 'Y': return by(a.priority, b.priority);
        default: return by(a.job, b.job);
    }
}

}  // namespace

std::string setting_of(const api::ConfigRow& config, std::string_view name) {
    for (const auto& [key, value] : config.settings) {
        if (iequals(key, name)) return value == "(null)" ? "" : value;
    }
    return {};
}

PriorityWeights weights_of(const api::ConfigRow& config) {
    const auto weight = [&](std::string_view name) {
        const auto number = parse_int64(setting_of(config, name));
        return number.ok() ? *number : 0;
    };
    return {.age = weight("PriorityWeightAge"),
            .association = weight("PriorityWeightAssoc"),
            .fair_share = weight("PriorityWeightFairShare"),
            .size = weight("PriorityWeightJobSize"),
            .partition = weight("PriorityWeightPartition"),
            .qos = weight("PriorityWeightQOS"),
            .tres = setting_of(config, "PriorityWeightTRES"),
            .other = setting_of(config, "PriorityTerms")};
}

const PriorityField* find_priority_field(char letter) {
    const auto found = std::ranges::find(kPriorityFields, letter, &PriorityField::letter);
    return found == kPriorityFields.end() ? nullptr : &*found;
}

Status sort_priorities(std::vector<api::PriorityRow>& rows, std::string_view keys) {
    std::vector<std::pair<char, bool>> order;  // And whether it falls.
    bool falling = false;
    for (const char c : keys) {
        if (c == ',' || c == '+') continue;
        if (c == '-') {
            falling = true;
            continue;
        }
        if (find_priority_field(c) == nullptr || c == 't' || c == 'T' || c == 'c') {
            return Error{ErrorCode::invalid_argument,
                         std::string("Invalid sort specification: ") + c};
        }
        order.emplace_back(c, std::exchange(falling, false));
    }
    std::ranges::stable_sort(rows, [&](const PriorityRow& a, const PriorityRow& b) {
        for (const auto& [key, falls] : order) {
            if (const int way = compare_rows(key, a, b); way != 0) return falls ? way > 0 : way < 0;
        }
        return a.job < b.job;
    });
    return Done{};
}

}  // namespace berth::slurm
