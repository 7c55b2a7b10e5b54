// CommandRig: the Slurm-named commands over a real socket, against a sample cluster.
#pragma once

#include <sstream>

#include "berth/server/http/server_rig.h"
#include "berth/slurm/program/slurm_program.h"

namespace berth {

class CommandRig : public ServerRig {
protected:
    struct Said {
        int code = 0;
        std::string out, err;
    };
    using Environment = std::map<std::string, std::string>;

    Said run(const std::string& name, std::vector<std::string> arguments,
             Environment environment = {}, const std::string& input = {}) {
        std::istringstream in(input);
        std::ostringstream out, err;
        slurm::Streams streams{in, out, err};
        environment.emplace("BERTH_SOCKET", options.socket);
        const slurm::Invocation call{
            .name = name, .arguments = std::move(arguments), .environment = std::move(environment)};
        const int code = slurm::run_command(call, streams);
        return {code, out.str(), err.str()};
    }
};

}  // namespace berth
