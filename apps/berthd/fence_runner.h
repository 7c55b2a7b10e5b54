// FenceRunner: runs the site's fence, a program that switches a node off and confirms this by exit
// status 0.
#pragma once

#include <functional>

#include "apps/berthd/program_pool.h"
#include "berth/control/core/ports.h"

namespace berth {

// The program gets the node's name and boot id as arguments: see site_program.h.
class FenceRunner final : public Fence {
public:
    explicit FenceRunner(std::function<void(FenceAnswered)> tell) : tell_(std::move(tell)) {}

    void call(FenceCall call) override;

private:
    std::function<void(FenceAnswered)> tell_;
    ProgramPool pool_{16, SIZE_MAX};  // The controller starts no more than this at a time.
};

}  // namespace berth
