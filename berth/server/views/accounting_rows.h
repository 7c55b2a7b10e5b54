// AccountingRow out of what the store keeps, and a query into what the store is asked.
#pragma once

#include "berth/api/messages.h"
#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"
#include "berth/store/accounting.h"

namespace berth {

// `spec` is the present one: it gives the resources their names.
api::AccountingRow accounting_row(const ClusterSpec& spec, const AccountingRecord& record);

Result<AccountingFilter> accounting_filter(const api::AccountingQuery& query);

}  // namespace berth
