// berth detect: what `slurmd -C` and AutoDetect tell, for an administrator to put into the files.
#include <ostream>

#include "berth/cli/subcommands.h"
#include "berth/client/host_name.h"
#include "berth/host/hardware/describe.h"

namespace berth::cli {
namespace {

Status print(std::ostream& out) {
    BERTH_TRY(const Machine machine, discover_machine());
    BERTH_TRY(const std::vector<FoundGpu> gpus, find_gpus());
    BERTH_TRY(const DescribedNode described, describe(machine, gpus, short_host_name()));
    out << "# slurm.conf\n" << node_line(described);
    if (gpus.empty()) {
        out << "# No GPU: there is neither NVIDIA's driver nor a /dev/nvidia0 here.\n";
        return Done{};
    }
    out << "# gres.conf\n" << gres_lines(described);
    const std::string types = type_lines(gpus);
    if (!types.empty()) out << "# berth.yaml\n" << types;
    return Done{};
}

}  // namespace

int detect(Output& output) {
    const Status printed = print(output.out());
    return printed.ok() ? 0 : output.fail(printed.error().message);
}

}  // namespace berth::cli
