#include "berth/slurm/step/run_program.h"

#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "berth/base/text.h"

namespace berth::slurm {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

// 0, or errno. srun holds signals back; its children do not.
int start(const std::string& program, std::vector<std::string> words,
          std::vector<std::string> settings, pid_t& child) {
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const int error = ::posix_spawnp(&child, program.c_str(), nullptr, &attributes,
                                     pointers_to(words).data(), pointers_to(settings).data());
    posix_spawnattr_destroy(&attributes);
    return error;
}

}  // namespace

Status run_program(const std::string& program, const std::vector<std::string>& arguments,
                   const std::map<std::string, std::string>& environment) {
    if (iequals(program, "none")) return Done{};
    std::vector<std::string> words{program}, settings;
    words.insert(words.end(), arguments.begin(), arguments.end());
    for (const auto& [name, value] : environment) settings.push_back((name + "=").append(value));
    pid_t child = 0;
    const int error = start(program, std::move(words), std::move(settings), child);
    if (error != 0) {
        return Error{ErrorCode::not_found,
                     "unable to run " + program + ": " + std::strerror(error)};
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
        return Error{ErrorCode::internal,
                     program + " ended by signal " + std::to_string(WTERMSIG(status))};
    }
    if (WEXITSTATUS(status) != 0) {
        return Error{ErrorCode::internal,
                     program + " exited with code " + std::to_string(WEXITSTATUS(status))};
    }
    return Done{};
}

}  // namespace berth::slurm
