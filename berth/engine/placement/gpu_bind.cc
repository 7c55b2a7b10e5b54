#include "berth/engine/placement/gpu_bind.h"

#include <charconv>
#include <optional>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kListMax = 4096;
constexpr std::uint32_t kBindCountMax = kDevicesPerNodeMax;
constexpr std::uint32_t kSharersMax = 1'000'000;

std::optional<std::uint64_t> parse_number(std::string_view text, int base) {
    if (base == 16 && starts_with_icase(text, "0x")) text.remove_prefix(2);
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, base);
    if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
    return number;
}

bool parse_count(std::string_view text, std::uint32_t most, std::uint32_t& count) {
    const auto number = parse_number(text, 10);
    if (!number || *number == 0 || *number > most) return false;
    count = static_cast<std::uint32_t>(*number);
    return true;
}

// "0*2,1" or "0x3,0xC": one number per task, optionally repeated.
bool parse_list(std::string_view text, bool masks, std::vector<DeviceMask>& list) {
    for (std::string_view part : split(text, ',')) {
        std::uint32_t times = 1;
        if (const auto star = part.find('*'); star != std::string_view::npos) {
            if (!parse_count(part.substr(star + 1), kListMax, times)) return false;
            part = part.substr(0, star);
        }
        const auto number = parse_number(part, masks ? 16 : 10);
        if (!number || (!masks && *number >= kDevicesPerNodeMax)) return false;
        if (masks && *number == 0) return false;
        if (list.size() + times > kListMax) return false;
        list.insert(list.end(), times, masks ? *number : bit(static_cast<int>(*number)));
    }
    return true;
}

bool parse_kind(std::string_view text, GpuBind& bind) {
    using Kind = GpuBind::Kind;
    const auto colon = text.find(':');
    const std::string_view word = text.substr(0, colon);
    const bool has_value = colon != std::string_view::npos;
    const std::string_view value = has_value ? text.substr(colon + 1) : std::string_view();
    if (!has_value) {
        bind.kind = iequals(word, "closest") ? Kind::closest : Kind::none;
        return iequals(word, "closest") || iequals(word, "none");
    }
    if (iequals(word, "single")) {
        bind.kind = Kind::single;
        return parse_count(value, kSharersMax, bind.count);
    }
    if (iequals(word, "per_task")) {
        bind.kind = Kind::per_task;
        return parse_count(value, kBindCountMax, bind.count);
    }
    const bool masks = iequals(word, "mask_gpu");
    if (!masks && !iequals(word, "map_gpu")) return false;
    bind.kind = masks ? Kind::mask : Kind::map;
    return parse_list(value, masks, bind.list);
}

DeviceMask gpus_near(const NodeSpec& node, DeviceMask gpus, const BitSet& cores) {
    DeviceMask found = 0;
    for_each_bit(gpus, [&](int gpu) {
        const BitSet& close = node.devices[static_cast<std::size_t>(gpu)].cores;
        const bool reaches =
            close.empty() || (close.size() == cores.size() && close.intersects(cores));
        if (reaches) found |= bit(gpu);
    });
    return found;
}

// The n-th member. REQUIRES: n < popcount(set).
int nth(DeviceMask set, int n) {
    for (; n > 0; --n) set &= set - 1;
    return lowest(set);
}

// Nearest GPUs first, each given to one task only.
std::vector<DeviceMask> own_gpus(const GpuBind& bind, const NodeSpec& node, DeviceMask gpus,
                                 std::span<const BitSet> task_cores) {
    std::vector<DeviceMask> seen;
    for (const BitSet& cores : task_cores) {
        DeviceMask own = 0;
        for (std::uint32_t i = 0; i < bind.count; ++i) {
            const DeviceMask close = gpus_near(node, gpus, cores);
            own |= bit(lowest(close != 0 ? close : gpus));
            gpus &= ~own;
        }
        seen.push_back(own);
    }
    return seen;
}

// The GPUs that a list entry names; nullopt if the step lacks one of them.
std::optional<DeviceMask> named(const NodeSpec& node, DeviceMask gpus, DeviceMask numbers,
                                bool relative) {
    DeviceMask found = 0;
    int n = 0;
    for_each_bit(gpus, [&](int gpu) {
        const auto global = static_cast<int>(node.devices[static_cast<std::size_t>(gpu)].index);
        const int number = relative ? n++ : global;
        if (number < 64 && (numbers & bit(number)) != 0) found |= bit(gpu);
    });
    if (popcount(found) != popcount(numbers)) return std::nullopt;
    return found;
}

}  // namespace

Result<GpuBind> GpuBind::parse(std::string_view text) {
    GpuBind bind;
    if (text.empty()) return bind;
    std::string_view rest = text;
    if (starts_with_icase(rest, "verbose,")) {
        bind.verbose = true;
        rest.remove_prefix(std::string_view("verbose,").size());
    }
    if (text.size() <= kListMax * 4 && parse_kind(rest, bind)) return bind;
    // Slurm's wording, which its commands print.
    return Error{ErrorCode::invalid_argument,
                 "Invalid --gpu-bind argument: gres/gpu:" + std::string(text.substr(0, 256))};
}

Result<std::vector<DeviceMask>> bind_gpus(const GpuBind& bind, const NodeSpec& node,
                                          DeviceMask gpus, std::span<const BitSet> task_cores,
                                          bool relative) {
    const std::size_t tasks = task_cores.size();
    std::vector<DeviceMask> seen(tasks, gpus);
    if (gpus == 0 || bind.kind == GpuBind::Kind::none) return seen;
    const auto count = static_cast<std::size_t>(popcount(gpus));
    if (bind.kind == GpuBind::Kind::per_task) {
        if (tasks * bind.count <= count) return own_gpus(bind, node, gpus, task_cores);
        return Error{ErrorCode::failed_precondition,
                     std::to_string(tasks) + " tasks with " + std::to_string(bind.count) +
                         " GPUs each need more than the step's " + std::to_string(count) + " on " +
                         node.name};
    }
    for (std::size_t task = 0; task < tasks; ++task) {
        if (bind.kind == GpuBind::Kind::closest) {
            const DeviceMask close = gpus_near(node, gpus, task_cores[task]);
            if (close != 0) seen[task] = close;
        } else if (bind.kind == GpuBind::Kind::single) {
            seen[task] = bit(nth(gpus, static_cast<int>(task / bind.count % count)));
        } else {
            const auto own = named(node, gpus, bind.list[task % bind.list.size()], relative);
            if (!own) {
                return Error{ErrorCode::failed_precondition,
                             "--gpu-bind names a GPU that the step does not have on " + node.name +
                                 "; it has " + std::to_string(count)};
            }
            seen[task] = *own;
        }
    }
    return seen;
}

}  // namespace berth
