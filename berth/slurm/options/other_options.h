// Options of Slurm without an effect in Berth. Some are accepted, because what they ask is so in
// any case; the others are refused, with what to use instead. docs/slurm-differences.md lists both.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth::slurm {

struct OtherOption {
    std::string_view name;           // Without dashes.
    std::string_view why;            // Or what to use instead.
    std::string_view commands = {};  // Of these alone, between blanks; empty: of all that have it.
};

std::span<const OtherOption> options_without_meaning();
std::span<const OtherOption> refused_options();

bool is_refused(std::string_view command, std::string_view option_name);

// "--hint is not supported: cores are …". Also for an option that the table does not have.
Error refuse_option(std::string_view option_name);

}  // namespace berth::slurm
