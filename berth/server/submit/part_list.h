// PartList: what a script gets as part_list: the partitions that the job's user may use, by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/model/principal.h"
#include "berth/server/submit/script_value.h"

namespace berth {

class PartitionTable final : public ScriptTable {
public:
    struct Of {
        const PartitionSpec& partition;
        const ClusterSpec& cluster;
    };
    explicit PartitionTable(Of of) : of_(of) {}

    ScriptValue read(std::string_view field) override;
    Status write(std::string_view field, const ScriptValue& value) override;

    static std::vector<std::string_view> readable();

private:
    Of of_;
};

// Whether this user may ask for the partition at all: RootOnly and AllowGroups.
bool may_ask_for(const PartitionSpec& partition, const Principal& who);

class PartList {
public:
    PartList(const ClusterSpec& cluster, const Principal& who);
    ScriptTables tables();

private:
    std::vector<PartitionTable> partitions_;
    std::vector<std::string> names_;
};

}  // namespace berth
