// Limits as associations and QOS have them in data_parser. What is not limited is an unset number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "berth/base/time.h"
#include "berth/model/limits.h"
#include "berth/slurmrest/shape_writer.h"

namespace berth::slurmrest {

void put_most(ShapeWriter& json, std::string_view name, const std::optional<std::uint32_t>& most);
void put_most_minutes(ShapeWriter& json, std::string_view name,
                      const std::optional<Duration>& most);
void put_most_tres(ShapeWriter& json, std::string_view name, const TresLimits& most);

}  // namespace berth::slurmrest
