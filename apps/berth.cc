// The `berth` command.
#include <csignal>

#include "berth/cli/program.h"

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_DFL);
    return berth::cli::run_program(argc, argv);
}
