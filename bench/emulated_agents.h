// EmulatedAgents: a thousand nodes in one process. Each is the real Agent behind the real link;
// only the processes are made up, and end when their time has come, and there is no disk: none of
// these agents crashes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "berth/model/cluster_spec.h"
#include "berth/model/ids.h"

namespace berth::bench {

class EmulatedAgents {
public:
    EmulatedAgents(const ClusterSpec& spec, const std::string& agent_socket);
    ~EmulatedAgents();

    // A job runs for as many milliseconds as the digits at the end of its name say.
    struct Counts {
        std::uint64_t started = 0;       // Scripts.
        std::uint64_t ended = 0;         // Likewise …
        std::uint64_t acknowledged = 0;  // … and the controller has it on its disk.
        std::uint64_t twice = 0;         // Started again: never right here.
    };
    Counts counts() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace berth::bench
