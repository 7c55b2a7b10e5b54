// The fields of sinfo: what each letter of -o, and each name of -O, prints of some nodes of a
// partition.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/slurm/text/columns.h"

namespace berth::slurm {

// A partition, and some of its nodes (perhaps none) that are to stand on one line. Where no field
// tells partitions apart, it is the first of theirs, and the nodes are of all.
struct NodeGroup {
    const api::PartitionRow* partition = nullptr;
    std::vector<const api::NodeRow*> nodes;

    const api::NodeRow* first() const { return nodes.empty() ? nullptr : nodes.front(); }
};

// What does not share a line if it differs in a field: nodes, or the nodes of two partitions.
enum class TellsApart { nothing, nodes, partitions };

struct GroupField {
    char letter;  // 0: it has a name of -O alone.
    std::string_view header;
    TellsApart tells_apart;
    std::string (*text)(const NodeGroup&);
};

const GroupField* find_group_field(const FormatItem& item);  // nullptr: there is none.

}  // namespace berth::slurm
