// The names of the model's enums in JSON. A value without a name is a mistake of ours.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "berth/base/assert.h"
#include "berth/model/job.h"
#include "berth/model/reason.h"

namespace berth::api {

// The names of an enum in the order of its values, which count from 0.
template <class Enum>
struct EnumNames;

template <>
struct EnumNames<DependencyKind> {
    static constexpr std::array<std::string_view, 6> kNames = {
        "after", "afterany", "afterok", "afternotok", "aftercorr", "singleton"};
    static_assert(static_cast<std::size_t>(DependencyKind::singleton) + 1 == kNames.size());
};

template <>
struct EnumNames<TaskOrder> {
    static constexpr std::array<std::string_view, 4> kNames = {"as_fits", "block", "cyclic",
                                                               "plane"};
    static_assert(static_cast<std::size_t>(TaskOrder::plane) + 1 == kNames.size());
};

template <>
struct EnumNames<CoreOrder> {
    static constexpr std::array<std::string_view, 4> kNames = {"as_fits", "block", "cyclic",
                                                               "fcyclic"};
    static_assert(static_cast<std::size_t>(CoreOrder::fcyclic) + 1 == kNames.size());
};

template <>
struct EnumNames<Affinity::To> {
    static constexpr std::array<std::string_view, 3> kNames = {"job_on_node", "job_on_gpu",
                                                               "feature"};
    static_assert(static_cast<std::size_t>(Affinity::To::feature) + 1 == kNames.size());
};

template <>
struct EnumNames<RlimitKind> {
    static constexpr std::array<std::string_view, kRlimitKinds> kNames = {
        "as", "core", "cpu", "data", "fsize", "memlock", "nofile", "nproc", "rss", "stack"};
    static_assert(static_cast<std::size_t>(RlimitKind::stack) + 1 == kNames.size());
};

template <>
struct EnumNames<PreemptMode> {
    static constexpr std::array<std::string_view, 5> kNames = {"off", "cancel", "requeue",
                                                               "suspend", "checkpoint"};
    static_assert(static_cast<std::size_t>(PreemptMode::checkpoint) + 1 == kNames.size());
};

template <class Enum>
std::string_view enum_name(Enum value) {
    const auto index = static_cast<std::size_t>(value);
    BERTH_ASSERT(index < EnumNames<Enum>::kNames.size());
    return EnumNames<Enum>::kNames[index];
}

template <class Enum>
std::vector<std::string_view> enum_names() {
    return {EnumNames<Enum>::kNames.begin(), EnumNames<Enum>::kNames.end()};
}

// Reasons have had their names since long before us: squeue's NODELIST(REASON).
inline std::string_view enum_name(PendingReason reason) { return slurm_name(reason); }

template <>
inline std::vector<std::string_view> enum_names<PendingReason>() {
    std::vector<std::string_view> names;
    names.reserve(pending_reasons());
    for (std::size_t i = 0; i < pending_reasons(); ++i) {
        names.push_back(slurm_name(static_cast<PendingReason>(i)));
    }
    return names;
}

template <class Enum>
std::optional<Enum> enum_of(std::string_view name) {
    const std::vector<std::string_view> names = enum_names<Enum>();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) return static_cast<Enum>(i);
    }
    return std::nullopt;
}

}  // namespace berth::api
