#include "apps/berthd/hook_runner.h"

namespace berth {
namespace {

constexpr Duration kNoTimeout = std::chrono::hours(24 * 365);

}  // namespace

void HookRunner::call(HookCall call) {
    ProgramPool::Work work;
    for (const std::string& path : call.programs) {
        work.programs.push_back({.path = path,
                                 .arguments = {},
                                 .environment = call.environment,
                                 .timeout = call.timeout > Duration{} ? call.timeout : kNoTimeout});
    }
    work.over =
        [this, answer = HookAnswered{call.job, call.attempt, call.hook, {}}](std::string failure) {
            HookAnswered said = answer;
            said.failure = std::move(failure);
            tell_(std::move(said));
        };
    pool_.put(std::move(work));
}

}  // namespace berth
