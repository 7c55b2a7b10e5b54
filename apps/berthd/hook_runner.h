// HookRunner: runs PrologSlurmctld and EpilogSlurmctld as the controller's own user.
#pragma once

#include <functional>

#include "apps/berthd/program_pool.h"
#include "berth/control/core/ports.h"

namespace berth {

class HookRunner final : public ControllerHookRunner {
public:
    explicit HookRunner(std::function<void(HookAnswered)> tell) : tell_(std::move(tell)) {}

    void call(HookCall call) override;

private:
    std::function<void(HookAnswered)> tell_;
    // Further hooks wait, and so do their jobs; none is dropped.
    ProgramPool pool_{64, SIZE_MAX};
};

}  // namespace berth
