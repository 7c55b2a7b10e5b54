// Program: the `berth` command: its subcommands and their options.
#pragma once

namespace berth::cli {

int run_program(int argc, char** argv);

}  // namespace berth::cli
