#include "berth/slurm/options/option_fault.h"

#include <string_view>

#include "berth/model/invalid_argument.h"

namespace berth::slurm {
namespace {

constexpr std::string_view kNotSubmitted = "Batch job submission failed: ";

std::string_view not_taken(const std::string& command) {
    if (command == "srun") return "Unable to allocate resources: ";
    if (command == "salloc") return "Job submit/allocate failed: ";
    return kNotSubmitted;
}

}  // namespace

Error not_submitted(const std::string& why, const std::string& before) {
    const std::string line = before.empty() ? "" : before + "\n";
    return invalid_argument(line + std::string(kNotSubmitted) + why);
}

OptionFault option_fault(const std::string& command, const Error& error) {
    const std::size_t begin = error.message.find('\n') + 1;  // 0: there is one line.
    const std::string line =
        begin == 0 ? "" : error.message.substr(0, begin) + command + ": error: ";
    if (error.message.find(kNotSubmitted, begin) == begin) {
        const std::string why = error.message.substr(begin + kNotSubmitted.size());
        return {.text = line + std::string(not_taken(command)) + why, .exit_code = 1};
    }
    const bool later = error.code != ErrorCode::invalid_argument ||
                       error.message.starts_with("Invalid generic") ||
                       error.message.starts_with("Invalid numeric");
    return {.text = line + error.message.substr(begin), .exit_code = later ? 1 : kOptionError};
}

}  // namespace berth::slurm
