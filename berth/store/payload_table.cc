#include "berth/store/payload_table.h"

#include "berth/base/codec.h"
#include "berth/engine/state/job_queries.h"
#include "berth/store/crc32c.h"
#include "berth/store/packing.h"

namespace berth {

Result<PayloadTable> PayloadTable::prepare(Database& database) {
    PayloadTable table;
    BERTH_TRY(table.insert_, database.prepare("INSERT OR REPLACE INTO payloads VALUES(?, ?, ?)"));
    BERTH_TRY(table.select_, database.prepare("SELECT payload, crc FROM payloads WHERE job = ?"));
    BERTH_TRY(table.delete_, database.prepare("DELETE FROM payloads WHERE job = ?"));
    BERTH_TRY(
        table.array_of_,
        database.prepare("SELECT array_job FROM jobs WHERE job = ? ORDER BY id DESC LIMIT 1"));
    return table;
}

Status PayloadTable::write(const Record& record, const ClusterState& after) {
    for (const auto& [job, payload] : record.payloads) {
        const std::string bytes = pack(encode(payload));
        BERTH_CHECK(insert_.bind(1, job.value())
                        .bind_bytes(2, bytes)
                        .bind(3, crc32c_of(job.value(), bytes))
                        .run());
    }
    for (const Fact& fact : record.facts) {
        const auto* const forgotten = std::get_if<JobForgotten>(&fact);
        if (forgotten != nullptr) BERTH_CHECK(drop(forgotten->job, after));
    }
    return Done{};
}

// The job itself is gone from the state; accounting knows which array it belonged to.
Status PayloadTable::drop(JobId forgotten, const ClusterState& after) {
    BERTH_TRY(const bool row, array_of_.bind(1, forgotten.value()).step());
    const bool is_task = row && !array_of_.is_null(0);
    const JobId owner =
        is_task ? JobId(static_cast<std::uint32_t>(array_of_.number(0))) : forgotten;
    array_of_.reset();
    if (after.find_job(owner) != nullptr || !array_members(after, owner).empty()) return Done{};
    return delete_.bind(1, owner.value()).run();
}

Result<JobPayload> PayloadTable::load(JobId job, std::optional<JobId> array_job) {
    BERTH_TRY(const bool row, select_.bind(1, array_job.value_or(job).value()).step());
    if (!row) {
        return Error{ErrorCode::not_found,
                     "job " + to_string(job) + " has no script here any more"};
    }
    const std::string_view packed = select_.bytes(0);
    const bool is_whole = select_.number(1) == crc32c_of(array_job.value_or(job).value(), packed);
    const Result<std::string> bytes = unpack(packed);
    select_.reset();
    Result<JobPayload> payload = bytes.ok() ? decode<JobPayload>(*bytes) : bytes.error();
    if (!is_whole || !payload.ok()) {
        return Error{ErrorCode::internal, "the script of job " + to_string(job) +
                                              " is damaged in the state file, and is not run"};
    }
    return payload;
}

}  // namespace berth
