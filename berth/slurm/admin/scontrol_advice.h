// What scontrol adds, as advice, to Slurm's words on a command, an entity or a key that it does not
// know. Each is empty if advice is off.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

std::string advice_on_command(const Invocation& call, std::string_view word);  // "shwo"
std::string advice_on_entity(const Invocation& call, std::string_view word);   // "jb", after show

// What to do instead of a command of Slurm's that is not Berth's; empty: it is no such command.
std::string_view instead_of_verb(std::string_view verb);

// The KEY=VALUE words of an update of jobs or nodes that was refused. Empty if all keys are known.
std::string advice_on_update(const Invocation& call, const std::vector<std::string>& words);

// The keys that parse_update() takes for a node.
std::span<const std::string_view> node_update_keys();

}  // namespace berth::slurm
