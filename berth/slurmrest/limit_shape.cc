#include "berth/slurmrest/limit_shape.h"

namespace berth::slurmrest {

void put_most(ShapeWriter& json, std::string_view name, const std::optional<std::uint32_t>& most) {
    json.put_number(name, most ? std::optional<std::int64_t>(*most) : std::nullopt);
}

void put_most_minutes(ShapeWriter& json, std::string_view name,
                      const std::optional<Duration>& most) {
    json.put_number(name, most ? std::optional(seconds(*most) / 60) : std::nullopt);
}

void put_most_tres(ShapeWriter& json, std::string_view name, const TresLimits& most) {
    json.begin_list(name);
    for (const auto& [tres, count] : most) put_one_tres(json, tres, count);
    json.end_list();
}

}  // namespace berth::slurmrest
