// AccountingRow from the store's records, and the store's query from the API's query.
#pragma once

#include "berth/api/messages.h"
#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"
#include "berth/server/views/asked.h"
#include "berth/store/accounting.h"

namespace berth {

// `spec`: the current one, which names the resources.
api::AccountingRow accounting_row(const ClusterSpec& spec, const AccountingRecord& record);

// What the job asks for, or asked for, as Slurm counts it.
Asked asked_of_record(const ClusterSpec& spec, const AccountingRecord& record);

Result<AccountingFilter> accounting_filter(const api::AccountingQuery& query);

}  // namespace berth
