#include "berth/host/task_exec.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "berth/base/text.h"
#include "berth/host/file_io.h"

namespace berth {
namespace {

std::string_view name_of(std::string_view setting) { return setting.substr(0, setting.find('=')); }

bool is_setting(std::string_view text) {
    const std::size_t equals = text.find('=');
    return equals != std::string_view::npos && equals > 0 &&
           text.find('\0') == std::string_view::npos;
}

bool is_program(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return false;
    if (S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0) return true;
    errno = EACCES;
    return false;
}

// As a shell looks for it, in the task's own PATH. What is nowhere stays as it is.
std::string find_program(const std::string& name, std::string_view path) {
    if (name.find('/') != std::string::npos) return name;
    for (const std::string_view folder : split(path, ':')) {
        const std::string file = (folder.empty() ? "." : std::string(folder)) + "/" + name;
        if (is_program(file)) return file;
    }
    return name;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

}  // namespace

std::vector<std::string> merge_environment(const std::vector<std::string>& base,
                                           const std::vector<std::string>& over) {
    std::vector<std::string> all;
    std::map<std::string, std::size_t, std::less<>> places;
    for (const auto* settings : {&base, &over}) {
        for (const std::string& setting : *settings) {
            if (!is_setting(setting)) continue;
            const auto [place, is_new] =
                places.try_emplace(std::string(name_of(setting)), all.size());
            if (is_new) {
                all.push_back(setting);
            } else {
                all[place->second] = setting;
            }
        }
    }
    return all;
}

std::string_view value_in(const std::vector<std::string>& environment, std::string_view name) {
    for (const std::string_view setting : environment) {
        if (setting.size() > name.size() && setting.starts_with(name) &&
            setting[name.size()] == '=') {
            return setting.substr(name.size() + 1);
        }
    }
    return {};
}

void exec_task(const RunSpec& run, const TaskSpec& task) {
    std::vector<std::string> environment = merge_environment(run.environment, task.environment);
    environment = merge_environment(environment, {"SLURM_TASK_PID=" + std::to_string(::getpid())});
    std::vector<std::string> arguments = run.arguments;
    const std::string program =
        arguments.empty() ? "" : find_program(arguments[0], value_in(environment, "PATH"));
    ::execve(program.c_str(), pointers(arguments).data(), pointers(environment).data());
    const int why = errno;
    (void)write_all(STDERR_FILENO,
                    system_error("slurmstepd: error: execve(): " + program, why).message + "\n");
    constexpr int kExitMax = 255;
    ::_exit(why > 0 && why <= kExitMax ? why : 1);
}

}  // namespace berth
