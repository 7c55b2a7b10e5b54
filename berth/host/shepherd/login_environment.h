// What a user's login shell makes of the environment: for sbatch --get-user-env.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace berth {

class Environment;

// Asks the shell of the user who runs this process, as a login shell or as a plain one. Empty if it
// does not answer in time.
std::vector<std::string> ask_shell_for_environment(bool login, std::chrono::seconds patience);

// Where SLURM_GET_USER_ENV asks for it ("120L": at most two minutes, a login shell), adds what the
// shell says and the job does not. The variable goes away.
void add_login_environment(Environment& environment);

}  // namespace berth
