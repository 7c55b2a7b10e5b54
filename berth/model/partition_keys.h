// PartitionKeys: the properties of a partition by name, as slurm.conf, berth.yaml and scontrol
// spell them; the one table of them. It says how a value is read into a PartitionChange; what a
// change does to a partition is apply_change().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/model/cluster_edits.h"

namespace berth {

enum class PartitionValue : std::uint8_t {
    name,
    nodes,            // A host list, or ALL.
    flag,             // YES or NO
    time,             // "2:00:00", UNLIMITED
    time_or_none,     // NONE, too.
    node_count,       // 0 to 65536
    node_limit,       // UNLIMITED, too.
    memory,           // MiB; UNLIMITED, or 0: none.
    priority,         // 0 to 65533
    both_priorities,  // Sets PriorityJobFactor and PriorityTier.
    names,            // "a,b"; ALL, or nothing: no list.
    hosts,            // A host list; ALL, or nothing: no list.
    accounts,         // The same in lower case: accounts have no other.
    state,            // UP, DOWN, DRAIN, INACTIVE
    oversubscribe,    // See oversubscribe.h.
    billing_weights,  // "CPU=1.0,Mem=0.25G"; slurm.conf and berth.yaml alone set it.
    preempt_mode,     // OFF, CANCEL, REQUEUE
    qos,              // "gold"; N/A or nothing: none.
    job_defaults,     // "DefCpuPerGPU=2,DefMemPerGPU=1024"; (null): none.
    job_default,      // The number of one of these.
    seconds,
    over_time,       // Minutes; NONE: the cluster's.
    without_effect,  // Slurm's, and not built.
};

struct PartitionKey {
    std::string_view name;  // "DefMemPerCPU"
    PartitionValue value;
    // In PartitionSpec, PartitionChange and api::PartitionRow: "default_memory_per_cpu". Empty: it
    // is no single field there.
    std::string_view field = {};
    std::string_view yaml = {};   // In berth.yaml; empty: it is not there.
    std::string_view shown = {};  // without_effect: the value that Slurm's commands print.
};

std::span<const PartitionKey> partition_keys();
const PartitionKey* find_partition_key(std::string_view name);  // In any case; nullptr: none.

// Reads a value. The error says what would be right. REQUIRES: the key is one that
// PartitionChange has, and no name.
Status set_value(PartitionChange& change, const PartitionKey& key, std::string_view value);

// Calls visit() with the field of that name, if the struct has one.
template <class Fields, class Visit>
void with_field(Fields& all, std::string_view name, const Visit& visit) {
    std::remove_const_t<Fields>::fields(all, [&](std::string_view one, auto& field) {
        if (one == name) visit(field);
    });
}

}  // namespace berth
