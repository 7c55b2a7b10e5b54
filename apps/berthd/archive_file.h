// ArchiveFile: stores accounting that is about to be deleted, one line of JSON for each job as in
// GET /v1/accounting. One file for each month in which jobs have ended.
#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/store/accounting.h"

namespace berth {

class ArchiveFile {
public:
    // REQUIRES: `folder` is absolute and exists.
    explicit ArchiveFile(std::string folder) : folder_(std::move(folder)) {}

    // Appends; durable on return. `spec` names the resources.
    Status write(const std::vector<AccountingRecord>& records, const ClusterSpec& spec) const;

private:
    std::string folder_;
};

}  // namespace berth
