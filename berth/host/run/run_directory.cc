#include "berth/host/run/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "berth/base/codec.h"
#include "berth/base/text.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

constexpr std::size_t kSpecMax = std::size_t{64} << 20;
constexpr off_t kExitBytes = 4096;
constexpr const char *kCheckpointAsked = "checkpoint.asked", *kCheckpoint = "checkpoint";
constexpr std::size_t kNoticeNameSize = sizeof "notice." - 1 + 20 + 1 + 9;

// Preceded by its length, since the reserved file is longer.
std::string framed(const std::string& bytes) { return std::to_string(bytes.size()) + ":" + bytes; }

std::optional<std::string> unframed(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return std::nullopt;
    const auto length = parse_int64(std::string_view(text).substr(0, colon));
    if (!length.ok() || *length < 0 ||
        static_cast<std::size_t>(*length) > text.size() - colon - 1) {
        return std::nullopt;
    }
    return text.substr(colon + 1, static_cast<std::size_t>(*length));
}

std::optional<StepId> step_of(const std::string& name) {
    if (name == "batch") return kBatchStep;
    if (name == "prolog") return kPrologStep;
    if (name == "epilog") return kEpilogStep;
    const auto number = parse_int64(name);
    if (!number.ok() || *number < 0 || *number >= std::int64_t{kPrologStep.value()}) {
        return std::nullopt;
    }
    return StepId{static_cast<std::uint32_t>(*number)};
}

}  // namespace

Result<UniqueFd> RunDirectory::create(const RunSpec& spec) const {
    if (::mkdir(path_.c_str(), 0711) != 0) {
        return system_error("cannot make the folder " + path_, errno);
    }
    BERTH_CHECK(write_atomically(path_ + "/spec", encode(spec), 0600));
    const std::string path = path_ + "/lock";
    UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock) return system_error("cannot open " + path, errno);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        return system_error("cannot lock " + path, errno);
    }
    return lock;
}

bool RunDirectory::is_locked() const {
    const UniqueFd lock(::open((path_ + "/lock").c_str(), O_RDWR | O_CLOEXEC));
    if (!lock) return false;
    return ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

template <class T>
std::optional<T> RunDirectory::read(const char* name) const {
    const auto text = read_file(path_ + "/" + name);
    if (!text.ok()) return std::nullopt;
    const auto bytes = unframed(*text);
    if (!bytes) return std::nullopt;
    auto value = decode<T>(*bytes);
    return value.ok() ? std::optional<T>(std::move(value).value()) : std::nullopt;
}

std::optional<ProcessMark> RunDirectory::shepherd() const { return read<ProcessMark>("shepherd"); }
std::optional<RunStatus> RunDirectory::status() const { return read<RunStatus>("status"); }
std::optional<ExitRecord> RunDirectory::exit() const { return read<ExitRecord>("exit"); }

Result<RunSpec> RunDirectory::take_spec() const {
    const std::string path = path_ + "/spec";
    BERTH_TRY(const std::string bytes, read_file(path, kSpecMax));
    if (::unlink(path.c_str()) != 0) return system_error("cannot remove " + path, errno);
    return decode<RunSpec>(bytes);
}

Status RunDirectory::tell_shepherd(const ProcessMark& self) const {
    return write_atomically(path_ + "/shepherd", framed(encode(self)));
}

Status RunDirectory::tell_status(const RunStatus& status) const {
    return write_atomically(path_ + "/status", framed(encode(status)));
}

Status RunDirectory::reserve_exit() const {
    const std::string path = path_ + "/exit.new";
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!file) return system_error("cannot create " + path, errno);
    if (const int failed = ::posix_fallocate(file.get(), 0, kExitBytes); failed != 0) {
        return system_error("no room for " + path, failed);
    }
    return Done{};
}

Status RunDirectory::tell_exit(const ExitRecord& record) const {
    const std::string path = path_ + "/exit.new";
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!file) return system_error("cannot open " + path, errno);
    BERTH_CHECK(write_all(file.get(), framed(encode(record))));
    if (::fsync(file.get()) != 0) return system_error("cannot sync " + path, errno);
    if (::rename(path.c_str(), (path_ + "/exit").c_str()) != 0) {
        return system_error("cannot rename " + path, errno);
    }
    return sync_folder(path_);
}

namespace {
std::string boot_now() {
    return read_file("/proc/sys/kernel/random/boot_id").value_or("(unknown)\n");
}
}  // namespace

bool RunDirectory::has_processes() const {
    const auto boot = read_file(path_ + "/processes");
    return boot.ok() && *boot == boot_now();
}

Status RunDirectory::say_processes() const {
    return write_atomically(path_ + "/processes", boot_now());
}

void RunDirectory::say_no_processes() const { ::unlink((path_ + "/processes").c_str()); }

Status RunDirectory::leave_notice(const std::string& text) const {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    char name[48];
    std::snprintf(name, sizeof name, "/notice.%020lld.%09ld", static_cast<long long>(now.tv_sec),
                  now.tv_nsec);
    return write_atomically(path_ + name, text, 0600);
}

std::vector<std::string> RunDirectory::take_notices() const {
    std::vector<std::string> files, notices;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(path_, failed)) {
        const std::string name = entry.path().filename().string();
        const bool whole = name.starts_with("notice.") && name.size() == kNoticeNameSize;
        if (whole) files.push_back(entry.path().string());
    }
    std::ranges::sort(files);
    for (const std::string& file : files) {
        if (auto text = read_file(file); text.ok()) notices.push_back(*std::move(text));
        ::unlink(file.c_str());
    }
    return notices;
}

// The kernel's coarse clock, which gives files their times, may be some milliseconds behind.
Status RunDirectory::ask_for_checkpoint() const {
    if (checkpoint_asked()) return Done{};
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return write_atomically(path_ + "/" + kCheckpointAsked,
                            framed(encode(WallMoment{now.tv_sec, now.tv_nsec})));
}

std::optional<WallMoment> RunDirectory::checkpoint_asked() const {
    return read<WallMoment>(kCheckpointAsked);
}

Status RunDirectory::tell_checkpoint() const {
    return write_atomically(path_ + "/" + kCheckpoint, "");
}

bool RunDirectory::has_checkpoint() const {
    return ::access((path_ + "/" + kCheckpoint).c_str(), F_OK) == 0;
}

std::string folder_of_step(StepId step) {
    if (step == kBatchStep) return "batch";
    if (step == kPrologStep) return "prolog";
    if (step == kEpilogStep) return "epilog";
    return step == kExternStep ? "extern" : to_string(step);
}

std::string folder_of_attempt(JobId job, Attempt attempt) {
    return to_string(job) + "." + to_string(attempt);
}

std::string text_of(const RunKey& run) {
    return folder_of_attempt(run.job, run.attempt) + "." + folder_of_step(run.step);
}

std::vector<AttemptFolder> list_attempts(const std::string& run_dir) {
    std::vector<AttemptFolder> all;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(run_dir, failed)) {
        const std::string name = entry.path().filename().string();
        const std::size_t dot = name.find('.');
        if (dot == std::string::npos) continue;
        const auto job = parse_int64(std::string_view(name).substr(0, dot));
        const auto attempt = parse_int64(std::string_view(name).substr(dot + 1));
        if (!job.ok() || !attempt.ok() || *job < 0 || *attempt < 0) continue;
        AttemptFolder& folder = all.emplace_back();
        folder.job = JobId{static_cast<std::uint32_t>(*job)};
        folder.attempt = Attempt{static_cast<std::uint32_t>(*attempt)};
        folder.path = entry.path().string();
        std::error_code unknown;
        for (const auto& run : std::filesystem::directory_iterator(folder.path, unknown)) {
            if (const auto step = step_of(run.path().filename().string())) {
                folder.runs.emplace_back(*step, RunDirectory(run.path().string()));
            }
        }
        std::ranges::sort(folder.runs, {}, [](const auto& run) { return run.first; });
    }
    std::ranges::sort(all, {},
                      [](const AttemptFolder& one) { return std::pair(one.job, one.attempt); });
    return all;
}

}  // namespace berth
