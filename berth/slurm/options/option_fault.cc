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

Error not_submitted(const std::string& why) {
    return invalid_argument(std::string(kNotSubmitted) + why);
}

OptionFault option_fault(const std::string& command, const Error& error) {
    if (error.message.starts_with(kNotSubmitted)) {
        const std::string why = error.message.substr(kNotSubmitted.size());
        return {.text = std::string(not_taken(command)) + why, .exit_code = 1};
    }
    const bool later = error.code != ErrorCode::invalid_argument ||
                       error.message.starts_with("Invalid generic") ||
                       error.message.starts_with("Invalid numeric");
    return {.text = error.message, .exit_code = later ? 1 : kOptionError};
}

}  // namespace berth::slurm
