// PmixJob: what PMIx learns about a step before its tasks start: which task is where, and how many
// there are.
#pragma once

#include <pmix.h>
#include <pmix_server.h>

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/mpi/mpi_step.h"

namespace berth {

class PmixJob {
public:
    // `folder`: belongs to the user and exists while the step runs.
    static Result<PmixJob> of(const MpiStep& step, const std::string& folder);

    const std::string& name() const { return name_; }
    const std::string& own_host() const { return hosts_[step_.node_index]; }
    const MpiStep& step() const { return step_; }
    std::uint32_t node_of(std::uint32_t rank) const { return node_of_rank_.at(rank); }
    pmix_proc_t process(std::uint32_t rank) const;

    // Registers the step and each local task with the library. REQUIRES: the library is
    // initialised.
    Status enrol() const;

private:
    PmixJob() = default;
    std::vector<pmix_info_t> of_job() const;
    pmix_info_t of_rank(std::uint32_t rank) const;
    Status add_maps(std::vector<pmix_info_t>& all) const;

    MpiStep step_;
    std::string name_, folder_;
    std::vector<std::string> hosts_;
    std::vector<std::uint32_t> node_of_rank_;
    std::vector<std::uint16_t> place_on_node_;  // By rank.
};

}  // namespace berth
