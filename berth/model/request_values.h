// RequestValues: the small languages in which Slurm's users write what a job asks for, as option
// values and as fields of REST requests. Callers report errors in their own words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/model/job.h"

namespace berth {

struct NodeCount {
    std::uint32_t least = 1;
    std::optional<std::uint32_t> most;
};
// "4", "2-4", "1K"; the second number may be the smaller one.
std::optional<NodeCount> parse_node_count(std::string_view text);

// A whole number from 1 on, K meaning 1024.
std::optional<std::uint32_t> parse_positive(std::string_view text);

// "gpu:2", "gpu:a100:2,fpga", "none" (an empty list).
std::optional<std::vector<GresRequest>> parse_gres_list(std::string_view text);

// "--gpus=2", "--gpus=a100:2,h100:1".
std::optional<std::vector<GresRequest>> parse_gpu_list(std::string_view text);

// "0-15", "0,6,16-32", "0-15:4", "1-100%8".
std::optional<ArraySpec> parse_array(std::string_view text);

// "USR1", "SIGUSR1", "10".
std::optional<std::int32_t> parse_signal(std::string_view text);

// "USR2@90", "B:TERM", "10": a minute before the end unless it says when.
std::optional<WarningSignal> parse_warning(std::string_view text);

}  // namespace berth
