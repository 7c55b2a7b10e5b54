#include "berth/policy/fragmentation.h"

#include <algorithm>
#include <tuple>

namespace berth {
namespace {

std::int64_t of_no_use(const NodeRoom& room, const WorkShape& shape, std::int64_t all) {
    if (shape.gpus == 0 || room.cpu < shape.cpu) return all;
    std::int64_t of_use = 0;
    std::int32_t large_enough = 0;
    for (const GpuLeft& gpu : room.gpus) {
        if (gpu.milli < shape.milli || (shape.types & dimension_bit(gpu.type)) == 0) continue;
        ++large_enough;
        of_use += gpu.milli;
    }
    return large_enough >= shape.gpus ? all - of_use : all;
}

std::int64_t times_seen(const WorkShape& shape, std::int64_t parts_count) {
    return shape.gpus > 0 && shape.milli < kWholeGpu ? shape.count * parts_count : shape.count;
}

}  // namespace

std::int64_t fragmentation(const NodeRoom& room, std::span<const WorkShape> work,
                           std::int64_t parts_count) {
    std::int64_t all = 0, sum = 0;
    for (const GpuLeft& gpu : room.gpus) all += gpu.milli;
    if (all == 0) return 0;
    for (const WorkShape& shape : work) {
        sum += times_seen(shape, parts_count) * of_no_use(room, shape, all);
    }
    return sum;
}

std::vector<WorkShape> usual_of(std::vector<WorkShape> counted) {
    const auto place = [](const WorkShape& shape) {
        return std::tuple(-shape.count, shape.cpu, shape.gpus, shape.milli, shape.types);
    };
    std::ranges::sort(counted, {}, place);
    const std::int64_t all = total_count(counted);
    std::int64_t sum = 0;
    std::size_t usual = 0;
    while (usual < counted.size() && sum * 100 < all * 95) sum += counted[usual++].count;
    counted.resize(usual);
    return counted;
}

std::int64_t total_count(std::span<const WorkShape> work, std::int64_t parts_count) {
    std::int64_t total = 0;
    for (const WorkShape& shape : work) total += times_seen(shape, parts_count);
    return total;
}

}  // namespace berth
