// ScriptFields: the fields of a table that a script sees, as rows of a table in C++, and how values
// of scripts are read.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/quantity.h"
#include "berth/base/time.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/job.h"
#include "berth/server/submit/script_value.h"
#include "berth/server/submit/slurm_numbers.h"

namespace berth {

// A text; a number is taken as its text. nil is none: a field is cleared with "".
Result<std::string> given_text(const ScriptValue& value);
// A number, cut off to a whole one as Slurm does; a text that is one counts.
Result<std::int64_t> given_number(const ScriptValue& value);
// nullopt: not set: NO_VAL, and of what has 16 bits with Slurm (`most` is less) NO_VAL16.
Result<std::optional<std::int64_t>> given_count(const ScriptValue& value, std::int64_t least,
                                                std::int64_t most);
bool is_unset(std::int64_t number);  // NO_VAL, or NO_VAL64 as given_number() has it.

ScriptValue text_or_nil(std::string_view text);
template <class Number>
ScriptValue number_or(const std::optional<Number>& number, std::int64_t otherwise) {
    return number ? static_cast<std::int64_t>(*number) : otherwise;
}
ScriptValue minutes_or(std::optional<Duration> length, std::int64_t otherwise);
Result<std::optional<Duration>> given_minutes(const ScriptValue& value);  // max(): no limit.

inline constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
// Slurm's pn_min_memory: MiB, with MEM_PER_CPU where they are for each CPU.
ScriptValue memory_number(std::optional<Bytes> per_node, std::optional<Bytes> per_cpu);
ScriptValue mebibytes_or_nil(std::optional<Bytes> memory);
struct MemoryGiven {
    std::optional<Bytes> per_node, per_cpu;  // Neither: not set.
};
Result<MemoryGiven> given_memory(const ScriptValue& value);
Result<std::optional<Bytes>> given_mebibytes(const ScriptValue& value);

// GRES are written as "gres/gpu:a100:2,gres/fpga:1".
void add_gres(std::string& text, const std::vector<GresRequest>& list);
Result<std::vector<GresRequest>> given_gres(const ScriptValue& value, bool only_gpus);

// "afterok:12_3,after:14+5"; with "?" between them if one is enough.
std::string dependencies_text(const std::vector<Dependency>& all, bool any);

template <class Subject>
struct ScriptField {
    std::string_view name;
    ScriptValue (*read)(const Subject&);
    Status (*write)(Subject&, const ScriptValue&);  // nullptr: a script cannot write it.
};

template <class Subject>
const ScriptField<Subject>* find_field(std::span<const ScriptField<Subject>> fields,
                                       std::string_view name) {
    const auto found = std::ranges::find(fields, name, &ScriptField<Subject>::name);
    return found == fields.end() ? nullptr : &*found;
}

template <class Subject>
std::vector<std::string_view> field_names(std::span<const ScriptField<Subject>> fields) {
    std::vector<std::string_view> names;
    for (const ScriptField<Subject>& field : fields) names.push_back(field.name);
    return names;
}

// What a script is told that writes a field which cannot be written, and what to use instead.
Error unwritable(std::string_view field);
// The error of a field's writer, with the field's name.
Status named(std::string_view field, const Status& done);

}  // namespace berth
