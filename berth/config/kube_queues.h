// Queues of Volcano and Kueue, and Kubernetes' priority classes, as a tree of accounts with quotas
// and as sections of berth.yaml: for `berth queues import`. On texts: nothing here reads a disk.
#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/config/finding.h"
#include "berth/config/imported_queue.h"
#include "berth/config/lines.h"
#include "berth/model/accounting_edits.h"

namespace berth::config {

struct QueueImport {
    std::vector<ImportedQueue> queues;  // Each after the one that it is beneath.
    std::string text;                   // Sections of berth.yaml; with errors, nothing.
    bool has_settings = false;          // There are sections besides accounts and queues.
    std::vector<Finding> findings;
    bool has_errors = false;
};

QueueImport import_queues(const std::vector<ConfigText>& files);

// What the import changes in a cluster that has these accounts and queues. Quotas become those of
// the files; limits of an account, and options of a queue that the files do not have, stay. The
// error names an account that lies elsewhere. REQUIRES: the import has no errors.
Result<AccountingEdits> edits_of_import(const QueueImport& import,
                                        const std::vector<AccountSpec>& accounts,
                                        const std::vector<QueueSpec>& queues);

}  // namespace berth::config
