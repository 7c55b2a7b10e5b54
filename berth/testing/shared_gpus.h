// SharedGpus: a node with GPUs in parts, for the tests of placement scores.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth::testing {

// A cluster whose largest node has 64 cores and 4 GPUs of type 2; and one GPU of type 3 elsewhere.
class SharedGpus : public ::testing::Test {
protected:
    SharedGpus() {
        a100_ = *view_.cluster.dimensions.intern("gpu", "a100");
        t4_ = *view_.cluster.dimensions.intern("gpu", "t4");
        view_.cluster.nodes = {node(64, a100_, 4), node(32, t4_, 1)};
    }

    static NodeSpec node(std::int64_t cpus, DimensionId type, std::uint32_t gpus) {
        NodeSpec spec;
        spec.capacity.set_cpu(cores(cpus));
        spec.capacity[type] = gpus;
        for (std::uint32_t i = 0; i < gpus; ++i) {
            spec.devices.push_back({.dimension = type, .index = i});
        }
        return spec;
    }

    // On node 0: of 64 cores so many are free, of its GPUs so much; the job takes 8 cores.
    Candidate candidate(std::int64_t cpus_free, const std::vector<std::int32_t>& milli,
                        DeviceMask chosen, std::int32_t wanted) {
        take_ = {};
        take_.set_cpu(cores(8));
        left_ = {};
        left_.set_cpu(cores(cpus_free - 8));
        gpus_.clear();
        for (const std::int32_t one : milli) gpus_.push_back({a100_, one});
        return {NodeId(0), take_, left_, gpus_, chosen, wanted, JobId(1)};
    }

    Ppm score(std::string_view rule, const Candidate& candidate,
              std::vector<std::pair<std::string, std::int64_t>> settings = {}) {
        return make_rule(placement_scores(), rule, std::move(settings))->value(candidate, view_);
    }

    FixedView view_;
    DimensionId a100_{0}, t4_{0};
    Resources take_, left_;
    std::vector<GpuLeft> gpus_;
};

}  // namespace berth::testing
