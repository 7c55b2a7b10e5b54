// The environment of a user's login shell, for sbatch --get-user-env.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace berth {

class Environment;

// Runs the shell of this process's user, as a login shell or as a plain one, and returns its
// environment. Empty if it does not answer in time.
std::vector<std::string> ask_shell_for_environment(bool login, std::chrono::seconds patience);

// If SLURM_GET_USER_ENV asks for it ("120L": at most two minutes, a login shell), adds the shell's
// variables that the job does not set. Removes SLURM_GET_USER_ENV.
void add_login_environment(Environment& environment);

}  // namespace berth
