// Response bodies of long lists, generated while they are sent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/api/json.h"
#include "berth/server/service/response.h"
#include "berth/server/views/job_filter.h"
#include "berth/store/reader.h"

namespace berth {

inline constexpr std::size_t kPartBytes =
    64 * 1024;  // Size of a part of a body; a part may exceed it by one row.

// {"sequence":…,"now":…,"jobs":[…]}
std::unique_ptr<BodyParts> job_list(std::shared_ptr<const Snapshot> snapshot, JobFilter filter,
                                    api::FieldChoice choice);

// The same for rows that already exist.
template <class Row>
std::unique_ptr<BodyParts> row_list(const Snapshot& snapshot, std::string_view name,
                                    std::vector<Row> rows);
extern template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                                    std::vector<api::NodeRow>);
extern template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                                    std::vector<api::PartitionRow>);
extern template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                                    std::vector<api::PriorityRow>);
extern template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                                    std::vector<api::ShareRow>);
extern template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                                    std::vector<api::QueueRow>);
extern template std::unique_ptr<BodyParts> row_list(const Snapshot&, std::string_view,
                                                    std::vector<api::NodeEventRow>);

// Accounting: rows are made from the records one by one. `more`: the list was truncated.
std::unique_ptr<BodyParts> accounting_list(std::shared_ptr<const Snapshot> snapshot,
                                           AccountingAnswer answer);

}  // namespace berth
