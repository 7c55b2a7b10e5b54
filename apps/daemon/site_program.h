// SiteProgram: a program of the site that a daemon runs, with an environment built for it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "berth/base/time.h"

namespace berth {

struct SiteProgram {
    std::string path;
    std::vector<std::string> arguments, environment;
    Duration timeout{};  // After that it is killed.
};

// Runs the program and waits. Returns "" if it succeeded, otherwise how it failed: "ended with exit
// code 1: no answer". It gets no input, and PATH and LANG besides the given environment. It is run
// only if nobody but root and our own user can change it. `running` is called with the process id,
// which is also its process group, and with 0 when it has ended.
std::string run_program(const SiteProgram& program, const std::function<void(int)>& running);

}  // namespace berth
