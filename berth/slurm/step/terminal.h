// RawTerminal: the terminal that srun --pty sits before, as a plain line to the one on the node:
// what is typed goes there as it is, and its own echo, line editing and Ctrl-C are switched off.
#pragma once

#include <termios.h>

#include <optional>

#include "berth/model/step_io.h"

namespace berth::slurm {

class RawTerminal {
public:
    RawTerminal();   // Does nothing where standard input is no terminal.
    ~RawTerminal();  // Puts it back as it was.
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;

private:
    std::optional<termios> before_;
};

// Of the terminal at standard input; 24 by 80 where there is none.
TerminalSize terminal_size();

}  // namespace berth::slurm
