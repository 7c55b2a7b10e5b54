// What `berth doctor` looks at on this host alone: files that somebody else could change or read,
// programs that would not be run, the disk of the state, cgroups, ports.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"

namespace berth::cli {

struct HostFacts {
    // A program of the site's and the key that names it, with what is wrong with it.
    struct Program {
        std::string key, path, trouble;
        bool is_default = false;  // Nobody has asked for it.
    };
    struct File {
        std::string path, trouble, mend;
    };
    std::vector<Program> programs;                 // Those with troubles.
    std::vector<File> files;                       // Likewise.
    std::optional<std::int64_t> sync_micros;       // Of one small write to the state's disk.
    std::vector<std::string> missing_controllers;  // That cgroup v2 does not give to jobs.
    bool wants_pam = false, has_pam_service = false;
    bool has_launcher = false;  // It is set up on this host …
    std::string launcher_trouble;
    std::string controller_port,
        port_trouble;                     // Where the agent of this host finds its controller.
    std::optional<Time> authority_until;  // The controller's own.
};

// Why a daemon would not run it; empty: it would.
std::string trouble_with_program(const std::string& path);
// Why nobody's secret may lie there; empty: it may, or there is none.
std::string trouble_with_secret(const std::string& path);

struct HostPlaces {
    std::string config, state;  // Directories.
    std::string agent_state = "/var/lib/berth-agent";
    std::string agent_defaults = "/etc/default/berth-agent";
    std::string launcher_unit = "/lib/systemd/system/berth-launcher.service";
    std::string launcher_socket = "/run/berth-launcher/agent.sock";
    std::string pam_service = "/etc/pam.d/slurm";
    std::string cgroup2;  // Mount point; empty: there is none.
    bool is_root = false;
};
HostFacts look_at_host(const HostPlaces& places, const ClusterSpec& spec);

// "cpuset cpu io memory" -> those of cpuset, cpu, memory and pids that are missing.
std::vector<std::string> missing_controllers(const std::string& controllers);

}  // namespace berth::cli
