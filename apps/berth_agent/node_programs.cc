#include "apps/berth_agent/node_programs.h"

#include <csignal>

#include "apps/daemon/site_program.h"

namespace berth {

NodePrograms::NodePrograms(std::string node, std::function<void(NodeProgramExited)> tell)
    : node_(std::move(node)), tell_(std::move(tell)) {}

// Does not kill a reboot: that ends the agent as well.
NodePrograms::~NodePrograms() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        for (const auto& [kind, process] : running_) {
            if (kind != NodeProgram::reboot) ::kill(-process, SIGKILL);
        }
    }
    for (auto& [kind, thread] : threads_) thread.join();
}

void NodePrograms::start(const RunNodeProgram& program) {
    std::thread& thread = threads_[program.program];
    if (thread.joinable()) thread.join();  // It has reported its end.
    thread = std::thread([this, program] { run(program); });
}

void NodePrograms::run(const RunNodeProgram& program) {
    SiteProgram site{.path = program.path,
                     .arguments = {},
                     .environment = {"SLURMD_NODENAME=" + node_},
                     .timeout = program.timeout};
    for (const std::string& variable : program.variables) site.environment.push_back(variable);
    std::string failure = run_program(site, [&](int process) {
        const std::lock_guard lock(mutex_);
        running_.erase(program.program);
        if (process == 0) return;
        running_[program.program] = process;
        if (ending_ && program.program != NodeProgram::reboot) ::kill(-process, SIGKILL);
    });
    {
        const std::lock_guard lock(mutex_);
        if (ending_) return;
    }
    tell_({program.program, std::move(failure)});
}

}  // namespace berth
