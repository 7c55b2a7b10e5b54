#include "berth/slurm/step/step_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ext/stdio_filebuf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "berth/model/file_pattern.h"
#include "berth/slurm/options/submit_environment.h"

namespace berth::slurm {
namespace {

Error cannot_open(const std::string& what, const std::string& path) {
    return {ErrorCode::not_found,
            "Could not open " + what + " file " + path + ": " + std::strerror(errno)};
}

bool has_any(const std::string& pattern, std::string_view letters) {
    return std::ranges::any_of(letters,
                               [&](char letter) { return file_pattern_has(pattern, letter); });
}

// A row in the list of the files that this srun has truncated.
struct TruncatedFile {
    dev_t device = 0;
    ino_t number = 0;
    friend bool operator==(const TruncatedFile&, const TruncatedFile&) = default;
};

// The list is a file in memory, which forked processes share; -1: there is none.
int truncated_list() {
    static const int list = ::memfd_create("srun-truncated", MFD_CLOEXEC);
    return list;
}

// `type`: F_WRLCK or F_UNLCK. The lock is the process's, and ends with it.
void lock_list(int list, short type) {
    struct flock whole{};
    whole.l_type = type;
    while (::fcntl(list, F_SETLKW, &whole) != 0 && errno == EINTR) {
    }
}

// The offset for a new row; none: the file has one.
std::optional<off_t> offset_for(int list, const TruncatedFile& file) {
    TruncatedFile row;
    constexpr auto kSize = static_cast<ssize_t>(sizeof row);
    for (off_t at = 0;; at += kSize) {
        if (::pread(list, &row, sizeof row, at) != kSize) return at;
        if (row == file) return std::nullopt;
    }
}

// The lock is held until the file is empty: another part may not write to it before.
Status truncate_once(int fd) {
    struct stat file{};
    if (::fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return Done{};
    const int list = truncated_list();
    const TruncatedFile row{file.st_dev, file.st_ino};
    Status cut = Done{};
    lock_list(list, F_WRLCK);
    if (const auto at = offset_for(list, row)) {
        if (::ftruncate(fd, 0) != 0) cut = Error{ErrorCode::internal, std::strerror(errno)};
        (void)!::pwrite(list, &row, sizeof row, *at);
        // Kept open until this process ends, so that no other file gets this number.
        (void)::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    }
    lock_list(list, F_UNLCK);
    return cut;
}

}  // namespace

void share_truncations() { (void)truncated_list(); }

bool is_one_file(const std::string& pattern, std::uint32_t tasks) {
    if (pattern.empty() || pattern == "none" || pattern == "all" || pattern == "/dev/null") {
        return false;
    }
    return !task_of_pattern(pattern, tasks) && !has_any(pattern, "tnN");
}

bool is_from_srun(const std::string& pattern, std::uint32_t tasks) {
    return pattern.empty() || pattern == "all" || task_of_pattern(pattern, tasks);
}

struct StepFiles::OneFile {
    explicit OneFile(std::string of, const char* kind)
        : pattern(std::move(of)), what(kind), stream(nullptr) {}

    Status open(std::string at) {
        path = std::move(at);
        constexpr mode_t kForAll = 0666;  // The umask takes its part.
        fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | O_CLOEXEC, kForAll);
        if (fd < 0) return cannot_open(what, path);
        buffer.emplace(fd, std::ios::out | std::ios::binary);
        stream.rdbuf(&*buffer);
        return Done{};
    }

    std::string pattern, path;
    std::string what;  // "stdout"
    int fd = -1;       // The buffer's, which closes it.
    std::optional<__gnu_cxx::stdio_filebuf<char>> buffer;
    std::ostream stream;
};

StepFiles::StepFiles(std::string job) : job_(std::move(job)) {}
StepFiles::~StepFiles() = default;

std::string StepFiles::path_of(const std::string& pattern, const StepId* step) const {
    FilePatternValues values;
    values.job = row_.id;
    values.array_job = row_.array_job;
    values.array_task = row_.array_task;
    if (step != nullptr) values.step = *step;
    values.job_name = row_.name;
    values.user = row_.owner.user;
    values.restarts = row_.restarts;
    return expand_output_path(pattern, work_dir_of({}), values);
}

Status StepFiles::prepare_one(std::string& pattern, const char* what, JobLook& look,
                              std::unique_ptr<OneFile>& file) {
    file = std::make_unique<OneFile>(std::exchange(pattern, "all"), what);
    const bool asks_for_job = has_any(file->pattern, "AabJjrux");
    if (asks_for_job && row_.id == JobId{0}) {
        auto rows = look.at(job_);
        if (!rows) {
            return Error{ErrorCode::unavailable, "cannot name the " + file->what + " file " +
                                                     file->pattern + ": " + rows.problem().title};
        }
        row_ = std::move(rows->front());
    }
    if (has_any(file->pattern, "Js")) return Done{};
    return file->open(path_of(file->pattern, nullptr));
}

Status StepFiles::prepare(api::StepCall& call, JobLook& look) {
    const bool same = call.std_err.empty() || call.std_err == call.std_out;
    const std::uint32_t tasks = call.request.tasks;
    joined_ = same && is_one_file(call.std_out, tasks);
    if (joined_) {
        call.std_err.clear();
        call.errors_with_output = true;
    }
    if (is_one_file(call.std_out, tasks)) {
        if (Status out = prepare_one(call.std_out, "stdout", look, out_); !out.ok()) return out;
    }
    if (!is_one_file(call.std_err, tasks)) return Done{};
    return prepare_one(call.std_err, "stderr", look, err_);
}

Status StepFiles::begin(const api::StepReply& reply) {
    for (OneFile* const file : {out_.get(), err_.get()}) {
        if (file == nullptr) continue;
        if (file->fd < 0) {
            if (Status opened = file->open(path_of(file->pattern, &reply.step.id)); !opened.ok()) {
                return opened;
            }
        }
        if (reply.append_output) continue;
        if (Status cut = truncate_once(file->fd); !cut.ok()) {
            return prefixed("Could not truncate " + file->what + " file " + file->path,
                            cut.error());
        }
    }
    return Done{};
}

std::ostream& StepFiles::out(std::ostream& otherwise) { return out_ ? out_->stream : otherwise; }

std::ostream& StepFiles::err(std::ostream& otherwise) {
    if (joined_) return out_->stream;
    return err_ ? err_->stream : otherwise;
}

std::string StepFiles::failure() const {
    for (const OneFile* const file : {out_.get(), err_.get()}) {
        if (file != nullptr && !file->stream) return "cannot write all output to " + file->path;
    }
    return {};
}

}  // namespace berth::slurm
