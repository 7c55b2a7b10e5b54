// JobDesc: what slurm_job_submit() gets as job_desc: a job that is being submitted, whose fields a
// script reads and changes.
#pragma once

#include <optional>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/model/principal.h"
#include "berth/server/submit/script_fields.h"

namespace berth {

class JobDesc final : public ScriptTable {
public:
    struct Of {
        JobSpec& spec;
        JobPayload& payload;  // All components of a heterogeneous job have the first one's.
        const Principal& who;
        const ClusterSpec& cluster;
        std::optional<std::uint32_t> het_offset;
    };
    explicit JobDesc(Of of) : of_(of), environment_(of) {}

    ScriptValue read(std::string_view field) override;
    Status write(std::string_view field, const ScriptValue& value) override;

    // For docs and tests: all that a script may read here, or write.
    static std::vector<std::string_view> readable();
    static std::vector<std::string_view> writable();

private:
    // job_desc.environment: of batch jobs alone, as with Slurm.
    class Environment final : public ScriptTable {
    public:
        explicit Environment(Of of) : of_(of) {}
        ScriptValue read(std::string_view name) override;
        Status write(std::string_view name, const ScriptValue& value) override;

    private:
        Of of_;
        // What is set lies outside of the sandbox's memory and instructions.
        std::size_t writes_ = 0, bytes_ = 0;
    };

    Of of_;
    Environment environment_;
};

}  // namespace berth
