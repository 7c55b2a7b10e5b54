#include "berth/host/hardware/mig.h"

#include "berth/base/text.h"

namespace berth {

MigMinors parse_mig_minors(std::string_view text) {
    MigMinors minors;
    for (const std::string_view line : split(text, '\n')) {
        const std::size_t space = line.find(' ');
        if (space == std::string_view::npos) continue;
        const auto minor = parse_int64(line.substr(space + 1));
        if (!minor.ok() || *minor < 0 || *minor > UINT32_MAX) continue;
        minors.emplace(line.substr(0, space), static_cast<std::uint32_t>(*minor));
    }
    return minors;
}

Result<std::string> mig_files(const MigMinors& minors, unsigned gpu, unsigned gpu_instance,
                              unsigned compute_instance) {
    const std::string instance = "gpu" + std::to_string(gpu) + "/gi" + std::to_string(gpu_instance);
    std::string files = "/dev/nvidia" + std::to_string(gpu);
    for (const std::string& name :
         {instance + "/access", instance + "/ci" + std::to_string(compute_instance) + "/access"}) {
        const auto minor = minors.find(name);
        if (minor == minors.end())
            return Error{ErrorCode::not_found, "the driver lists no MIG capability " + name};
        files += ",/dev/nvidia-caps/nvidia-cap" + std::to_string(minor->second);
    }
    return files;
}

std::string mig_profile(unsigned gpu_slices, unsigned compute_slices,
                        unsigned long long mebibytes) {
    std::string name =
        std::to_string(gpu_slices) + "g." + std::to_string((mebibytes + 1023) / 1024) + "gb";
    return compute_slices == gpu_slices ? name : std::to_string(compute_slices) + "c." + name;
}

}  // namespace berth
