// The files of tests/baseline that a program wrote: how they were made, and what is in them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/engine/state/cluster_state.h"

namespace berth::baseline {

// Two state directories of one history, which has every kind of fact: one that keeps all of its
// journal, one that cuts it behind its snapshots.
Status write_store(const std::string& folder, bool cut);
// As FileDisk keeps them, part in its snapshot and part in its log.
Status write_memory(const std::string& folder);
Status write_ledger(const std::string& folder);

// A state directory with these records and no snapshot.
Status write_journal(const std::string& folder, const std::vector<Record>& records);

// What users see of a state: jobs, nodes, usage, reservations. Later fields are not part of it.
std::string visible(const ClusterState& state, const std::string& known);
// The first fact of each kind that the journal holds; `kinds`, where given, gets their numbers.
Result<std::string> facts_of(const std::string& folder, const std::string& known,
                             std::set<std::size_t>* kinds = nullptr);
// Rows of accounting, and a script.
Result<std::string> accounting_of(const std::string& folder, const std::string& known);
Result<std::string> memory_of(const std::string& folder, const std::string& known);
Result<std::string> ledger_of(const std::string& folder, const std::string& known);

}  // namespace berth::baseline
