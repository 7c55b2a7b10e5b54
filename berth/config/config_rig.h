// For the tests of config: a configuration from texts, and its findings as one text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "berth/config/load.h"

namespace berth::config {

inline constexpr const char* kSmall =
    "ClusterName=lab\nGresTypes=gpu,fpga\n"
    "NodeName=n[1-2] CPUs=16 Sockets=2 CoresPerSocket=8 RealMemory=64000 Gres=gpu:a100:4,fpga:2\n"
    "PartitionName=main Nodes=ALL Default=YES MaxTime=1-0\n";

inline Loaded load_slurm(const std::string& slurm, const std::string& gres = "",
                         const std::string& cgroup = "", const std::string& topology = "",
                         const std::string& yaml = "") {
    ConfigFiles files;
    files.slurm = ConfigText{"slurm.conf", slurm};
    if (!gres.empty()) files.gres = ConfigText{"gres.conf", gres};
    if (!cgroup.empty()) files.cgroup = ConfigText{"cgroup.conf", cgroup};
    if (!topology.empty()) files.topology = ConfigText{"topology.conf", topology};
    if (!yaml.empty()) files.berth = ConfigText{"berth.yaml", yaml};
    return load(files);
}

inline std::string text_of(const Loaded& loaded) {
    std::string text;
    for (const Finding& finding : loaded.findings) text += to_string(finding) + "\n";
    return text;
}

}  // namespace berth::config
