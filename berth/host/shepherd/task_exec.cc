#include "berth/host/shepherd/task_exec.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "berth/base/text.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/unique_fd.h"
#include "berth/host/run/environment.h"
#include "berth/host/shepherd/login_environment.h"

namespace berth {
namespace {

bool is_program(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return false;
    if (S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0) return true;
    errno = EACCES;
    return false;
}

// Searches the task's own PATH as a shell does. A name that is not found stays as it is.
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
    all.reserve(texts.size());
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

// Interprets a line that the site's program prints for the task: "export NAME=value", "unset NAME",
// "print text". As Slurm's TaskProlog; other lines are ignored.
void obey(std::string_view line, Environment& environment) {
    constexpr std::string_view kExport = "export ", kUnset = "unset ", kPrint = "print ";
    if (line.starts_with(kExport)) {
        line.remove_prefix(kExport.size());
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos || equals == 0) return;
        environment.set(line.substr(0, equals), std::string(line.substr(equals + 1)));
    } else if (line.starts_with(kUnset)) {
        environment.unset(trim(line.substr(kUnset.size())));
    } else if (line.starts_with(kPrint)) {
        (void)write_all(STDOUT_FILENO, std::string(line.substr(kPrint.size())) + "\n");
    }
}

void run_task_prolog(const std::string& program, Environment& environment) {
    int ends[2];
    if (program.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return;
    const UniqueFd ours(ends[0]);
    UniqueFd theirs(ends[1]);
    std::vector<std::string> arguments = {program}, settings = environment.settings();
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(theirs.get(), STDOUT_FILENO);
        ::execve(program.c_str(), pointers(arguments).data(), pointers(settings).data());
        const std::string why =
            system_error("slurmstepd: error: TaskProlog " + program, errno).message;
        (void)write_all(STDERR_FILENO, why + "\n");
        ::_exit(1);
    }
    theirs.reset();
    const auto said = read_to_end(ours.get(), program);
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!said.ok()) return;
    for (const std::string_view line : split(*said, '\n')) obey(line, environment);
}

}  // namespace

void exec_task(const RunSpec& run, const TaskSpec& task) {
    Environment environment(run.environment);
    add_login_environment(environment);
    environment.add(task.environment);
    environment.set("SLURM_TASK_PID", ::getpid());
    run_task_prolog(run.task_prolog, environment);
    run_task_prolog(run.own_task_prolog, environment);
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
