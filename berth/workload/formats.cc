#include "berth/workload/formats.h"

#include <algorithm>
#include <array>

namespace berth::workload {
namespace {

constexpr auto kFormats = std::to_array<Format>({
    {"philly", "Microsoft's Philly (ATC '19), as ElasticFlow ships it", read_philly},
    {"openb", "Alibaba's pods on shared GPUs (ATC '23)", read_openb},
    {"muri", "Muri's jobs (SIGCOMM '22)", read_muri},
    {"tiresias", "Tiresias' jobs (NSDI '19)", read_tiresias},
    {"helios", "SenseTime's Helios (SC '21); not tried on the original", read_helios},
    {"pai", "Alibaba's PAI simulator (NSDI '22); not tried on the original", read_pai},
    {"swf", "Standard Workload Format 2.2; processors are CPUs", read_swf},
    {"swf_gpu", "the same; processors are GPUs", read_swf_gpu},
    {"sacct", "sacct -a -X --parsable2 of a Slurm", read_sacct},
});

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
    const auto found = std::ranges::find(kFormats, name, &Format::name);
    return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace berth::workload
