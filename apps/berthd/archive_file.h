// ArchiveFile: accounting that is about to be deleted, a line of JSON for each job, as GET
// /v1/accounting shows it. One file for each month in which jobs have ended.
#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/store/accounting.h"

namespace berth {

class ArchiveFile {
public:
    // Absolute; the folder must be there.
    explicit ArchiveFile(std::string folder) : folder_(std::move(folder)) {}

    // Appends, and has it on the disk when it returns. `spec` names the resources.
    Status write(const std::vector<AccountingRecord>& records, const ClusterSpec& spec) const;

private:
    std::string folder_;
};

}  // namespace berth
