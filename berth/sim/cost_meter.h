// CostMeter: what deciding costs. A simulation reads no clock: its caller measures what each turn
// of the controller takes, or makes it up, and virtual time passes by that.
#pragma once

#include <chrono>

namespace berth::sim {

class CostMeter {
public:
    virtual ~CostMeter() = default;
    // The controller begins to decide.
    virtual void begin() = 0;
    // It has decided, at this cost since begin().
    virtual std::chrono::nanoseconds end() = 0;
};

}  // namespace berth::sim
