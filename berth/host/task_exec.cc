#include "berth/host/task_exec.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "berth/base/text.h"
#include "berth/host/environment.h"
#include "berth/host/file_io.h"

namespace berth {
namespace {

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

void exec_task(const RunSpec& run, const TaskSpec& task) {
    Environment environment(run.environment);
    environment.add(task.environment);
    environment.set("SLURM_TASK_PID", ::getpid());
    std::vector<std::string> arguments = run.arguments;
    const std::string program =
        arguments.empty() ? "" : find_program(arguments[0], environment.get("PATH").value_or(""));
    std::vector<std::string> settings = environment.settings();
    ::execve(program.c_str(), pointers(arguments).data(), pointers(settings).data());
    const int why = errno;
    (void)write_all(STDERR_FILENO,
                    system_error("slurmstepd: error: execve(): " + program, why).message + "\n");
    constexpr int kExitMax = 255;
    ::_exit(why > 0 && why <= kExitMax ? why : 1);
}

}  // namespace berth
