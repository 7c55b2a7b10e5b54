// Rows of accounts, the users in them, and QOS.
#pragma once

#include "berth/api/messages.h"

namespace berth {

// From the root down, each account before its users and these before the accounts beneath it; by
// name.
std::vector<api::AssociationRow> association_rows(const ClusterSpec& spec);
std::vector<api::QosRow> qos_rows(const ClusterSpec& spec);

}  // namespace berth
