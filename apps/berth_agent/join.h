// berth-agent join: makes this machine a node of a cluster, with a join token of its controller.
#pragma once

#include <optional>
#include <string>

#include "berth/base/result.h"

namespace berth {

struct JoinOptions {
    std::string token;  // "-": the first line of standard input.
    std::string node, state, config;
    std::string controller;  // "HOST[:PORT]" of the link.
    std::string api;         // Address of the API; empty: the link's port plus 3.
};

// nullopt: nothing to do; `exit_code` is the process's exit status.
std::optional<JoinOptions> parse_join_options(int argc, char** argv, int& exit_code);

// Returns a message for the user: what was done.
Result<std::string> join(const JoinOptions& options);

// "head:6817" -> "head:6820"
Result<std::string> api_behind(const std::string& controller);

}  // namespace berth
