// RawTerminal: puts srun's terminal into raw mode for --pty: input goes to the node's terminal
// unchanged, and local echo, line editing and Ctrl-C are off.
#pragma once

#include <termios.h>

#include <optional>

#include "berth/model/step_io.h"

namespace berth::slurm {

class RawTerminal {
public:
    RawTerminal();   // Does nothing if standard input is not a terminal.
    ~RawTerminal();  // Restores the former mode.
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;

private:
    std::optional<termios> before_;
};

// Size of the terminal at standard input; 24 by 80 if there is none.
TerminalSize terminal_size();

}  // namespace berth::slurm
