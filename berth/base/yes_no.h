// YesNo: a switch as slurm.conf and scontrol write it.
#pragma once

#include <optional>
#include <string_view>

namespace berth {

// "yes", "no", "true", "1" … in any case; nullopt for anything else.
std::optional<bool> parse_yes_no(std::string_view text);

}  // namespace berth
