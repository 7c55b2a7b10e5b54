// AcceptTrouble: tells the log why a server cannot accept connections, and which limit to raise; at
// most once a minute, since a server that is out of descriptors tries again many times a second.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "berth/base/log.h"

namespace berth {

class AcceptTrouble {
public:
    using Clock = std::chrono::steady_clock;

    // `component`: as LogSink has it. `what`: what does not happen, such as "agents cannot
    // connect". REQUIRES: the log lives as long as this object.
    AcceptTrouble(LogSink& log, std::string component, std::string what);

    // `number`: the errno of accept(). From one thread at a time.
    void tell(int number, Clock::time_point now = Clock::now());

private:
    LogSink& log_;
    std::string component_, what_;
    std::optional<Clock::time_point> told_;
};

}  // namespace berth
