#include "berth/cli/import_jobs.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <ostream>
#include <utility>

#include "berth/base/text.h"
#include "berth/cli/cluster_dir.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/unique_fd.h"
#include "berth/host/os/user.h"
#include "berth/slurm/moving/remark.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileNameMax = 200;
constexpr const char* kUsersPath = "/usr/local/bin:/usr/bin:/bin";

Error failed_to(const std::string& what) {
    return {ErrorCode::unavailable, "cannot " + what + ": " + std::strerror(errno)};
}

// Scripts on their way: each in a folder of its own, readable by its owner alone.
class ScriptFolder {
public:
    static Result<ScriptFolder> make() {
        std::string path = "/tmp/berth-import.XXXXXX";  // Not $TMPDIR: all users must reach it.
        if (::mkdtemp(path.data()) == nullptr) return failed_to("make " + path);
        if (::chmod(path.c_str(), 0711) != 0) return failed_to("open " + path);
        return ScriptFolder(path);
    }
    ScriptFolder(ScriptFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    ScriptFolder& operator=(ScriptFolder&&) = delete;
    ~ScriptFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }

    Result<std::string> put(const slurm::MovedJob& job, gid_t gid) const {
        const fs::path folder = fs::path(path_) / std::to_string(job.id);
        if (::mkdir(folder.c_str(), 0711) != 0 || ::chmod(folder.c_str(), 0711) != 0)
            return failed_to("make " + folder.string());
        const bool is_long = job.script_name.size() > kFileNameMax;
        std::string file = (folder / (is_long ? "script" : job.script_name)).string();
        const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400));
        if (!fd) return failed_to("make " + file);
        if (::fchown(fd.get(), job.uid, gid) != 0)
            return failed_to("give " + file + " to " + job.user);
        BERTH_CHECK(write_all(fd.get(), job.script));
        return file;
    }

private:
    explicit ScriptFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> all;
    all.reserve(words.size() + 1);
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

// All that the child needs, made before the fork: between fork and exec nothing is allocated.
struct Call {
    std::string program;
    std::vector<std::string> words, environment;
    std::vector<gid_t> groups;
    uid_t uid = 0;
    gid_t gid = 0;
    bool changes_user = false;
};

// Root's identity is dropped whole, and that it is gone is verified.
bool become_owner(const Call& call) {
    if (call.changes_user) {
        if (::setgroups(call.groups.size(), call.groups.data()) != 0) return false;
        if (::setresgid(call.gid, call.gid, call.gid) != 0) return false;
        if (::setresuid(call.uid, call.uid, call.uid) != 0) return false;
    }
    uid_t real = 0, effective = 0, saved = 0;
    if (::getresuid(&real, &effective, &saved) != 0) return false;
    return real == call.uid && effective == call.uid && saved == call.uid;
}

struct Said {
    int code = 0;
    std::string text;  // On both of its streams.
};

Result<Said> run_as_owner(Call& call) {
    const std::vector<char*> words = pointers_to(call.words);
    const std::vector<char*> environment = pointers_to(call.environment);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return failed_to("make a pipe");
    UniqueFd reads(ends[0]), writes(ends[1]);
    const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const pid_t child = ::fork();
    if (child < 0) return failed_to("fork");
    if (child == 0) {
        const bool ready =
            ::dup2(nothing.get(), STDIN_FILENO) >= 0 && ::dup2(writes.get(), STDOUT_FILENO) >= 0 &&
            ::dup2(writes.get(), STDERR_FILENO) >= 0 && become_owner(call) && ::chdir("/") == 0;
        if (ready) ::execve(call.program.c_str(), words.data(), environment.data());
        ::_exit(126);
    }
    writes.reset();
    const Result<std::string> text = read_to_end(reads.get(), "sbatch");
    reads.reset();  // If it was too much, the child is not to wait for a reader.
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!text.ok()) return text.error();
    return Said{.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128, .text = *text};
}

class Submitter {
public:
    Submitter(const ScriptFolder& folder, const std::string& cluster, const Endpoint& endpoint)
        : folder_(folder), cluster_(cluster), endpoint_(endpoint) {}

    // The number that the job has here.
    Result<std::string> submit(const slurm::MovedJob& job) {
        BERTH_TRY(const UserRecord user, find_user(job.uid));
        if (user.name != job.user) {
            return Error{ErrorCode::failed_precondition, "user " + std::to_string(job.uid) +
                                                             " is " + user.name +
                                                             " here, and was " + job.user};
        }
        BERTH_TRY(const std::string waits_for, slurm::moved_dependency(job.dependency, ids_));
        BERTH_TRY(Call call, call_for(job, user, waits_for));
        BERTH_TRY(const Said said, run_as_owner(call));
        if (said.code == 126 && said.text.empty()) {
            return Error{ErrorCode::permission_denied,
                         "cannot run " + call.program + " as " + user.name};
        }
        if (said.code != 0)
            return Error{ErrorCode::failed_precondition, slurm::one_line(said.text)};
        for (const std::string_view line : split(said.text, '\n')) {
            if (!parse_int64(trim(line)).ok()) continue;  // A warning.
            std::string id(trim(line));
            ids_.emplace(job.id, id);
            if (job.array_id != 0) ids_.emplace(job.array_id, id);
            return id;
        }
        return Error{ErrorCode::internal, "sbatch printed no number: " + said.text};
    }

private:
    Result<Call> call_for(const slurm::MovedJob& job, const UserRecord& user,
                          const std::string& waits_for) const {
        const bool is_root = ::geteuid() == 0;
        if (!is_root && ::geteuid() != user.uid) {
            return Error{ErrorCode::permission_denied,
                         "only root submits jobs of other users; run this as root"};
        }
        BERTH_TRY(const std::string script, folder_.put(job, user.gid));
        Call call{.program = (program_directory() / "sbatch").string(),
                  .words = {"sbatch", "--parsable"},
                  .environment = {},
                  .groups = group_ids_of(user.name, user.gid),
                  .uid = user.uid,
                  .gid = user.gid,
                  .changes_user = is_root};
        for (std::string& option : job.options()) call.words.push_back(std::move(option));
        if (!waits_for.empty()) call.words.push_back("--dependency=" + waits_for);
        call.words.push_back(script);
        call.words.insert(call.words.end(), job.arguments.begin(), job.arguments.end());
        call.environment = {"HOME=" + user.home,
                            "USER=" + user.name,
                            "LOGNAME=" + user.name,
                            "SHELL=" + user.shell,
                            std::string("PATH=") + kUsersPath,
                            "BERTH_SOCKET=" + endpoint_.socket,
                            "BERTH_REQUEST_ID=slurm-" + cluster_ + "-" + std::to_string(job.id)};
        return call;
    }

    const ScriptFolder& folder_;
    const std::string& cluster_;
    const Endpoint& endpoint_;
    std::map<std::uint32_t, std::string> ids_;  // By Slurm's.
};

}  // namespace

Result<std::size_t> submit_moved_jobs(const std::vector<slurm::MovedJob>& jobs,
                                      const std::string& cluster, const Endpoint& endpoint,
                                      Output& output) {
    if (!endpoint.host.empty()) {
        return Error{ErrorCode::failed_precondition,
                     "jobs are submitted as their owners, on the controller's own host: run this "
                     "there"};
    }
    BERTH_TRY(const ScriptFolder folder, ScriptFolder::make());
    Submitter submitter(folder, cluster, endpoint);
    std::size_t failed = 0;
    for (const slurm::MovedJob& job : jobs) {
        const std::string name = "job " + std::to_string(job.id) + " of " + job.user;
        const Result<std::string> id = submitter.submit(job);
        if (id.ok()) {
            output.out() << name << " is job " << *id << '\n';
        } else {
            ++failed;
            output.note(name + ": " + id.error().message);
        }
    }
    return failed;
}

}  // namespace berth::cli
