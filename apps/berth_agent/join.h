// berth-agent join: makes this machine a node of a cluster, by a token of its controller's.
#pragma once

#include <optional>
#include <string>

#include "berth/base/result.h"

namespace berth {

struct JoinOptions {
    std::string token;  // "-": the first line of standard input.
    std::string node, state, config;
    std::string controller;  // "HOST[:PORT]", of the link.
    std::string api;         // Of the API; empty: 3 ports further on.
};

// nullopt: nothing to do; `exit_code` says how it ends.
std::optional<JoinOptions> parse_join_options(int argc, char** argv, int& exit_code);

// What it did, for a person to read.
Result<std::string> join(const JoinOptions& options);

// "head:6817" -> "head:6820"
Result<std::string> api_behind(const std::string& controller);

}  // namespace berth
