#include "berth/slurm/jobs/login_variables.h"

#include <unistd.h>

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/text.h"
#include "berth/slurm/step/run_program.h"

namespace berth::slurm {
namespace {

// Behind what the shell's own files may print.
constexpr std::string_view kBegin("\0BERTH\0", 7);

}  // namespace

Result<std::map<std::string, std::string>> login_variables(const std::string& user,
                                                           const std::string& how) {
    if (::geteuid() != 0) {
        return Error{ErrorCode::failed_precondition,
                     "SlurmdUser must be root to use --get-user-env"};
    }
    const auto seconds = parse_int64(how.substr(0, how.find_first_not_of("0123456789")));
    std::vector<std::string> words{"su"};
    if (!how.ends_with('S')) words.emplace_back("-");
    words.insert(words.end(), {user, "-c", "printf '\\0BERTH\\0'; exec /usr/bin/env -0"});
    const auto said =
        output_of(std::move(words), {"ENVIRONMENT=BATCH", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"},
                  std::chrono::seconds(seconds.ok() && *seconds > 0 ? *seconds : 2));
    const std::size_t begin = said ? said->find(kBegin) : std::string::npos;
    if (begin == std::string::npos) {
        return Error{ErrorCode::unavailable, "Failed to load current user environment variables"};
    }
    std::map<std::string, std::string> variables;
    const std::string_view settings = std::string_view(*said).substr(begin + kBegin.size());
    for (const std::string_view setting : split(settings, '\0')) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string_view::npos || setting.starts_with("SLURM_")) continue;
        variables[std::string(setting.substr(0, equals))] = setting.substr(equals + 1);
    }
    return variables;
}

}  // namespace berth::slurm
