// The Slurm-named commands (sbatch, srun, squeue …): one program under several names.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "berth/client/patience.h"
#include "berth/slurm/program/slurm_program.h"

extern char** environ;

int main(int argc, char** argv) {
    using berth::slurm::Invocation;
    using berth::slurm::Streams;
    std::signal(SIGPIPE, SIG_DFL);  // Lets "squeue | head" end quietly.
    std::ios::sync_with_stdio(false);
    const char* slash = argc > 0 ? std::strrchr(argv[0], '/') : nullptr;
    Invocation call{.name = slash != nullptr ? slash + 1
                            : argc > 0       ? argv[0]
                                             : "",
                    .arguments = {},
                    .environment = {}};
    for (int i = 1; i < argc; ++i) call.arguments.emplace_back(argv[i]);
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) continue;
        call.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    berth::set_silence_notice([&](const std::string& whom, std::chrono::milliseconds timeout) {
        std::cerr << call.name << ": waiting for " << whom << ", for "
                  << std::chrono::ceil<std::chrono::seconds>(timeout).count() << " s at most\n"
                  << std::flush;
    });
    Streams streams{std::cin, std::cout, std::cerr};
    const int code = berth::slurm::run_command(call, streams);
    std::cout.flush();
    return code;
}
