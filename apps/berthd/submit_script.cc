#include "apps/berthd/submit_script.h"

#include <algorithm>

#include "berth/model/invalid_argument.h"
#include "berth/server/submit/job_submit.h"

namespace berth {
namespace {

constexpr std::size_t kScriptBytesMost = 1 << 20;  // It is recorded with the configuration.

}  // namespace

Status check_submit_script(const std::string& directory, const JobSubmitSpec& spec) {
    if (std::ranges::find(spec.plugins, "lua") == spec.plugins.end()) return Done{};
    const std::string& script = spec.script.plain();
    Status loads = Done{};
    if (script.empty()) {
        loads = invalid_argument("JobSubmitPlugins=lua needs " + directory + "/" +
                                 kSubmitScriptName + ", which is missing or empty");
    } else if (script.size() > kScriptBytesMost) {
        loads = invalid_argument(std::string(kSubmitScriptName) + " is longer than 1 MiB");
    } else {
        loads = JobSubmit::check(script);
    }
    if (loads.ok()) return Done{};
    return invalid_argument("the configuration in " + directory +
                            " cannot be used: " + loads.error().message);
}

}  // namespace berth
