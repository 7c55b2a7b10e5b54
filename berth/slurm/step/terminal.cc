#include "berth/slurm/step/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace berth::slurm {

RawTerminal::RawTerminal() {
    termios now{};
    if (::tcgetattr(STDIN_FILENO, &now) != 0) return;
    before_ = now;
    ::cfmakeraw(&now);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &now);
}

RawTerminal::~RawTerminal() {
    if (before_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
}

TerminalSize terminal_size() {
    winsize size{};
    if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return {};
    return {.rows = size.ws_row, .columns = size.ws_col};
}

}  // namespace berth::slurm
