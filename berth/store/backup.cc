#include "berth/store/backup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "berth/store/disk_file.h"
#include "berth/store/new_file.h"
#include "berth/store/recovery.h"
#include "berth/store/schema.h"

namespace berth {
namespace {

// No controller is started so often between a copy and the day it is needed.
constexpr std::int64_t kEpochsSkipped = 1'000'000;

BackupSummary summary_of(const Recovered& recovered, const std::string& path) {
    std::error_code failed;
    const auto bytes = std::filesystem::file_size(path, failed);
    return {.sequence = recovered.sequence,
            .jobs = recovered.state.jobs().size(),
            .bytes = failed ? 0 : static_cast<std::int64_t>(bytes),
            .next_job = recovered.state.next_job_id().value()};
}

// Proves that the file can be recovered from. It may be of an older version.
Result<BackupSummary> check_copy(const std::string& path) {
    BERTH_TRY(Database database, Database::open(path, {.read_only = true}));
    BERTH_TRY([[maybe_unused]] const std::int64_t version, known_version(database, path));
    BERTH_TRY(const Recovered recovered, recover(database, RecoverFrom::newest));
    return summary_of(recovered, path);
}

// No id before the next one is given again, so enough must be left behind it.
Status skip_ids(BackupSummary& summary, const SchedulingSpec& scheduling, std::uint32_t skip) {
    const std::uint32_t left =
        scheduling.max_job_id - std::min(scheduling.max_job_id, summary.next_job);
    if (skip > left / 2) {
        return Error{ErrorCode::invalid_argument,
                     "to skip " + std::to_string(skip) + " job ids leaves too few of the " +
                         std::to_string(left) + " up to MaxJobId: skip fewer"};
    }
    summary.next_job += skip;
    return Done{};
}

Status copy_bytes(const std::string& from, const NewFile& to) {
    const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (in < 0) return file_error(from);
    std::array<char, 1 << 16> room;
    Status copied = Done{};
    while (copied.ok()) {
        const ssize_t got = ::read(in, room.data(), room.size());
        if (got == 0) break;
        if (got < 0) copied = file_error(from);
        for (ssize_t done = 0; copied.ok() && done < got;) {
            const ssize_t put =
                ::write(to.descriptor(), room.data() + done, static_cast<std::size_t>(got - done));
            if (put < 0) copied = file_error(to.part());
            done += std::max<ssize_t>(put, 0);
        }
    }
    ::close(in);
    return copied;
}

// The controller's user keeps what it has, whoever restores.
Status give_to_owner_of(const std::string& directory, const NewFile& file) {
    struct stat folder{};
    if (::stat(directory.c_str(), &folder) != 0) return file_error(directory);
    if (folder.st_uid == ::geteuid()) return Done{};
    if (::fchown(file.descriptor(), folder.st_uid, folder.st_gid) != 0) {
        return file_error(file.part());
    }
    return Done{};
}

}  // namespace

Result<BackupSummary> back_up(const std::string& directory, const std::string& to) {
    const std::string from = directory + '/' + kStateFile;
    BERTH_TRY(Database database, Database::open(from, {.read_only = true}));
    BERTH_CHECK(check_schema(database, from));
    BERTH_TRY(NewFile file, NewFile::make(to));
    {
        const std::string part = file.part();
        BERTH_TRY(Statement copy, database.prepare("VACUUM INTO ?"));
        BERTH_CHECK(copy.bind(1, part).run());
    }
    BERTH_TRY(const BackupSummary summary, check_copy(file.part()));
    BERTH_CHECK(file.finish());
    return summary;
}

Result<BackupSummary> restore(const std::string& from, const std::string& directory,
                              const RestoreSettings& settings) {
    BERTH_CHECK(check_copy(from));
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);  // If it fails, so does the next line.
    const std::string path = directory + '/' + kStateFile;
    // SQLite would take what another database has left there for a part of this one.
    for (const char* const left : {"-wal", "-shm", "-journal"}) {
        if (::access((path + left).c_str(), F_OK) != 0) continue;
        return Error{ErrorCode::already_exists,
                     path + left + " is there already, of another state: move it away with its " +
                         kStateFile};
    }
    BERTH_TRY(NewFile file, NewFile::make(path));
    BERTH_CHECK(copy_bytes(from, file));
    BackupSummary summary;
    {
        BERTH_TRY(Database database, Database::open(file.part(), {}));
        BERTH_CHECK(migrate(database, file.part()));
        BERTH_TRY(const Recovered recovered, recover(database, RecoverFrom::newest));
        summary = summary_of(recovered, file.part());
        BERTH_CHECK(skip_ids(summary, recovered.state.spec().scheduling, settings.skip_jobs));
        BERTH_TRY(const std::int64_t epoch, read_meta(database, "epoch"));
        BERTH_CHECK(write_meta(database, "epoch", epoch + kEpochsSkipped));
        BERTH_CHECK(write_meta(database, kRestoredNextJob, summary.next_job));
    }
    BERTH_CHECK(give_to_owner_of(directory, file));
    BERTH_CHECK(file.finish());
    return summary;
}

}  // namespace berth
