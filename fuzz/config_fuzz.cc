// Whatever the files: no crash, no hang, and every finding names its file.
#include "berth/base/assert.h"
#include "berth/config/load.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
    using berth::config::ConfigFiles;
    using berth::config::ConfigText;
    using berth::config::Finding;
    if (size == 0) return 0;
    const std::string text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    ConfigFiles files;
    files.slurm = ConfigText{
        "slurm.conf", "GresTypes=gpu\nNodeName=a CPUs=8 Gres=gpu:4\nPartitionName=p Nodes=ALL\n"};
    switch (bytes[0] % 5) {
        case 0: files.slurm->text += text; break;
        case 1: files.gres = ConfigText{"gres.conf", text}; break;
        case 2: files.cgroup = ConfigText{"cgroup.conf", text}; break;
        case 3: files.topology = ConfigText{"topology.conf", text}; break;
        default: files.berth = ConfigText{"berth.yaml", text}; break;
    }
    for (const Finding& finding : load(files).findings) BERTH_ASSERT(!finding.file.empty());
    return 0;
}
