// SiteProgram: a program of the site's that a daemon runs, in an environment made for it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "berth/base/time.h"

namespace berth {

struct SiteProgram {
    std::string path;
    std::vector<std::string> arguments, environment;
    Duration timeout{};  // Then it is killed.
};

// Runs it, and waits. Empty: it ended well; else how it failed: "ended with exit code 1: no
// answer". It gets PATH and LANG besides what is given, and no input. Only a program that nobody
// but root, or who we are, can change is run. `running` learns the process id, which is its group's
// too, and 0 once it is over.
std::string run_program(const SiteProgram& program, const std::function<void(int)>& running);

}  // namespace berth
