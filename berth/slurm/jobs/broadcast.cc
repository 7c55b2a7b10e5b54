#include "berth/slurm/jobs/broadcast.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <utility>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/slurm/step/run_program.h"
#include "berth/slurm/step/step_run.h"

namespace berth::slurm {
namespace {

constexpr std::chrono::seconds kLddPatience{5};  // As Slurm's.

Error not_readable(const std::string& path) {
    return Error{ErrorCode::not_found, "Can't open `" + path + "`: " + std::strerror(errno)};
}

// The step's standard input is ours: meanwhile that is the file.
class FileAsInput {
public:
    explicit FileAsInput(const std::string& path)
        : before_(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        is_open_ = file >= 0;
        if (!is_open_ || file == STDIN_FILENO) return;
        ::dup2(file, STDIN_FILENO);
        ::close(file);
    }
    ~FileAsInput() {
        if (before_ < 0) {
            ::close(STDIN_FILENO);
            return;
        }
        ::dup2(before_, STDIN_FILENO);
        ::close(before_);
    }
    FileAsInput(const FileAsInput&) = delete;
    FileAsInput& operator=(const FileAsInput&) = delete;

    bool is_open() const { return is_open_; }

private:
    int before_;
    bool is_open_ = false;
};

bool lies_in(std::string_view path, std::string_view folder) {
    while (folder.ends_with('/')) folder.remove_suffix(1);
    return path.starts_with(folder) && path.substr(folder.size()).starts_with('/');
}

}  // namespace

Result<BroadcastFile> file_to_send(const std::string& source) {
    struct stat known{};
    if (::access(source.c_str(), R_OK) != 0 || ::stat(source.c_str(), &known) != 0)
        return not_readable(source);
    if (!S_ISREG(known.st_mode)) return invalid_argument("`" + source + "` is not a regular file");
    BroadcastFile file;
    file.size = known.st_size;
    file.mode = known.st_mode & 0777U;
    file.accessed = known.st_atim.tv_sec;
    file.modified = known.st_mtim.tv_sec;
    return file;
}

int send_file(const Invocation& call, Client& client, Streams& streams, const BroadcastNodes& to,
              const std::string& source, const BroadcastFile& file) {
    const FileAsInput input(source);
    if (!input.is_open()) {
        streams.err << call.name + ": error: " + not_readable(source).message + "\n";
        return 1;
    }
    JobDraft draft;
    JobRequest& request = draft.spec.request.edit();
    request.nodelist = to.names;
    request.nodes_min = to.count;
    request.nodes_given = true;
    request.tasks = to.count;
    request.tasks_per_node = 1;
    draft.spec.name = "sbcast";
    draft.overlap = true;     // Beside whatever runs …
    draft.gres_given = true;  // … and with none of its GPUs.
    draft.tell_ends = false;
    return StepRun(call, client, streams, draft, to.job, broadcast_command(file), false).run();
}

std::optional<bool> wants_libraries(const char* value) {
    const std::string_view word = value == nullptr ? "yes" : value;
    if (iequals(word, "yes") || iequals(word, "y")) return true;
    if (iequals(word, "no") || iequals(word, "n")) return false;
    return std::nullopt;
}

// Of "libm.so.6 => /lib/libm.so.6 (0x0123)" what stands from the first slash on.
Result<std::vector<std::string>> libraries_of(const std::string& program) {
    std::vector<std::string> settings;
    for (char** one = environ; one != nullptr && *one != nullptr; ++one)
        settings.emplace_back(*one);
    const auto said = output_of({"ldd", program}, std::move(settings), kLddPatience);
    if (!said) {
        return invalid_argument("Cannot autodetect libraries for '" + program +
                                "' with ldd command; still sending the file but ignoring "
                                "send_libs");
    }
    std::vector<std::string> libraries;
    for (const std::string_view line : split(*said, '\n')) {
        const std::size_t begin = line.find('/');
        if (begin == std::string_view::npos) continue;
        const std::size_t end = line.find(' ', begin);
        if (end != std::string_view::npos) libraries.emplace_back(line.substr(begin, end - begin));
    }
    return libraries;
}

std::vector<std::string> not_excluded(std::vector<std::string> libraries,
                                      std::string_view folders) {
    if (iequals(folders, "none")) return libraries;
    for (const std::string_view folder : split(folders, ',')) {
        if (!folder.starts_with('/')) continue;
        std::erase_if(libraries, [&](const std::string& one) { return lies_in(one, folder); });
    }
    return libraries;
}

bool send_libraries(const Invocation& call, Client& client, Streams& streams,
                    const BroadcastNodes& to, const std::string& program, const BroadcastFile& copy,
                    std::string_view excluded) {
    const auto all = libraries_of(program);
    if (!all.ok()) {
        streams.err << call.name + ": error: " + all.error().message + "\n";
        return false;
    }
    bool sent = false;
    for (const std::string& library : not_excluded(*all, excluded)) {
        auto file = file_to_send(library);
        if (file.ok()) {
            file->destination = copy.destination;
            file->names_node = copy.names_node;
            file->behind = "_libs/" + std::filesystem::path(library).filename().string();
            file->makes_folder = file->preserve = file->force = true;
        }
        if (file.ok() && send_file(call, client, streams, to, library, *file) == 0) {
            sent = true;
            continue;
        }
        streams.err << call.name + ": error: Broadcast of '" + library + "' failed\n";
        break;
    }
    return sent;
}

}  // namespace berth::slurm
