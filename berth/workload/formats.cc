#include "berth/workload/formats.h"

#include <algorithm>
#include <array>

namespace berth::workload {
namespace {

constexpr auto kFormats = std::to_array<Format>({
    {"philly", "Microsoft's Philly (ATC '19): timestamp,duration,num_gpus,gpu_time,cluster",
     read_philly},
});

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
    const auto found = std::ranges::find(kFormats, name, &Format::name);
    return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace berth::workload
