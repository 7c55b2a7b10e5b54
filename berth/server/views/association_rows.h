// Rows of accounts, the users in them, and QOS.
#pragma once

#include "berth/api/messages.h"

namespace berth {

// From the root down: each account, then its users, then the accounts beneath it, each by name.
std::vector<api::AssociationRow> association_rows(const ClusterSpec& spec);
std::vector<api::QosRow> qos_rows(const ClusterSpec& spec);

}  // namespace berth
