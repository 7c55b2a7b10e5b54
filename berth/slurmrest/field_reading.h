// FieldReading: goes through the members of a job description, and refuses what is not supported.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "berth/model/invalid_argument.h"
#include "berth/slurmrest/given_values.h"
#include "berth/slurmrest/job_fields.h"

namespace berth::slurmrest {

template <class Target>
struct JobField {
    std::string_view name;
    Status (*set)(Target& target, const api::JsonValue& value);
};

// What to say of a field that the table lacks.
Error refuse_field(std::string_view name);

template <class Target>
Status read_fields(const api::JsonObject& members, std::span<const JobField<Target>> table,
                   Target& target) {
    std::vector<bool> seen(table.size());
    for (const auto& [name, value] : members) {
        const auto field = std::ranges::find(table, name, &JobField<Target>::name);
        if (field == table.end()) {
            const auto known = std::ranges::find(refused_fields(), name, &RefusedField::name);
            if (known != refused_fields().end() && asks_nothing(value)) continue;
            return refuse_field(name);
        }
        const auto place = static_cast<std::size_t>(field - table.begin());
        if (seen[place]) return invalid_argument(name + " is given twice");
        seen[place] = true;
        if (value.is_null()) continue;
        if (const Status set = field->set(target, value); !set.ok())
            return prefixed(name + ": ", set.error());
    }
    return Done{};
}

template <class Target>
std::vector<std::string_view> names_of(std::span<const JobField<Target>> table) {
    std::vector<std::string_view> names;
    for (const JobField<Target>& one : table) names.push_back(one.name);
    return names;
}

// Slurm has memory in MiB; more than an exbibyte is a slip.
inline constexpr std::int64_t kMemoryMax = std::int64_t{1} << 40;
inline constexpr std::int64_t kTimeMax = std::int64_t{1} << 40;     // Seconds since 1970.
inline constexpr std::int64_t kMinutesMax = std::int64_t{1} << 32;  // Of a limit.

}  // namespace berth::slurmrest
