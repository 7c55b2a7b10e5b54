#include "apps/berth_agent/node_options.h"

#include <string>
#include <utility>
#include <vector>

#include "apps/berth_agent/this_machine.h"

#include "berth/model/slurm_variables.h"

namespace berth {

LinuxNodeOptions node_options(const NodeOptions& options, const std::string& authority,
                              const ClusterSpec& spec, NodeId node,
                              const std::optional<Machine>& machine) {
    LinuxNodeOptions wanted{.node = spec.node(node),
                            .dimensions = spec.dimensions,
                            .run_dir = options.state + "/run",
                            .shepherd = program_folder() + "/berth-step",
                            .cgroup_prefix = options.cgroup_prefix,
                            .emulated = options.emulate};
    wanted.account_check.service = "slurm";  // As the PAM service of slurmd.
    wanted.nvidia.mps_control = options.mps_program;
    if (machine) {
        wanted.find_cpus = [machine](const NodeSpec& described) {
            return cpus_of_node(described, *machine);
        };
        wanted.cpus_of_core = wanted.find_cpus(spec.node(node));
    }
    wanted.environment.push_back(std::string(kSlurmConf) + "=" + options.config + "/slurm.conf");
    if (!options.client_socket.empty()) {
        wanted.environment.push_back("BERTH_SOCKET=" + options.client_socket);
    }
    if (!options.api.empty()) {
        wanted.environment.push_back("BERTH_CONTROLLER=" + options.api);
        wanted.environment.push_back("BERTH_CA=" + authority_path(authority));
    }
    return wanted;
}

}  // namespace berth
