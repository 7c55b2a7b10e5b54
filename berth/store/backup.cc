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
#include "berth/store/journal_table.h"
#include "berth/store/later.h"
#include "berth/store/new_file.h"
#include "berth/store/recovery.h"
#include "berth/store/schema.h"
#include "berth/store/state_lock.h"
#include "berth/store/tail.h"

namespace berth {
namespace {

BackupSummary summary_of(const Recovered& recovered, const std::string& path) {
    std::error_code failed;
    const auto bytes = std::filesystem::file_size(path, failed);
    return {.sequence = recovered.sequence,
            .jobs = recovered.state.jobs().size(),
            .bytes = failed ? 0 : static_cast<std::int64_t>(bytes),
            .next_job = recovered.state.next_job_id().value()};
}

// Proves that the file can be recovered, and that no record is missing which the tail tells of. For
// a file of an older version, checks only the number of the last record: it is recovered once it
// has been migrated.
Result<BackupSummary> check_copy(const std::string& path,
                                 const std::optional<Chain>& tail = std::nullopt) {
    BERTH_TRY(Database database, Database::open(path, {.read_only = true}));
    BERTH_TRY(const std::int64_t version, known_version(database, path));
    if (version < kSchemaVersion) {
        BERTH_TRY(JournalTable journal, JournalTable::prepare(database));
        BERTH_TRY(const std::uint64_t last, journal.last());
        return BackupSummary{.sequence = last};
    }
    const auto mark = tail ? std::optional(tail->sequence) : std::nullopt;
    BERTH_TRY(const Recovered recovered, recover(database, RecoverFrom::newest, {.mark = mark}));
    const auto loss = tail ? loss_told_by(*tail, recovered.chain, recovered.marked) : std::nullopt;
    if (!loss) return summary_of(recovered, path);
    return Error{ErrorCode::failed_precondition, "the state " + *loss + ". No copy was made"};
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

// The error for a controller's own file, part of which is still in SQLite's log.
Error has_log(const std::string& from, std::uint64_t sequence) {
    return {ErrorCode::failed_precondition,
            from + " is not all of the state: the records up to " + std::to_string(sequence) +
                " are in " + from + "-wal. Make a copy by berth backup, and restore that"};
}

// The file gets the directory's owner, whichever user restores.
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
    // Read before the copy is made, so the copy can only be newer.
    BERTH_TRY(const std::optional<Chain> tail, read_tail(from));
    BERTH_TRY(Database database, Database::open(from, {.read_only = true}));
    BERTH_CHECK(check_schema(database, from));
    BERTH_TRY(NewFile file, NewFile::make(to));
    {
        const std::string part = file.part();
        BERTH_TRY(Statement copy, database.prepare("VACUUM INTO ?"));
        BERTH_CHECK(copy.bind(1, part).run());
    }
    BERTH_TRY(const BackupSummary summary, check_copy(file.part(), tail));
    BERTH_CHECK(file.finish());
    return summary;
}

Result<BackupSummary> restore(const std::string& from, const std::string& directory,
                              const RestoreSettings& settings) {
    BERTH_TRY(const BackupSummary given, check_copy(from));
    BERTH_CHECK(check_no_daemon(directory));
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);  // If it fails, so does the next step.
    const std::string path = directory + '/' + kStateFile;
    // SQLite would take files left by another database for parts of this one.
    for (const char* const left : {"-wal", "-shm", "-journal", ".tail"}) {
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
        if (summary.sequence != given.sequence) return has_log(from, given.sequence);
        BERTH_TRY(summary.next_job, count_as_later(database, recovered, settings.skip_jobs));
        BERTH_CHECK(write_meta(database, kHasTail, 0));  // The next controller creates one.
    }
    BERTH_CHECK(give_to_owner_of(directory, file));
    BERTH_CHECK(file.finish());
    return summary;
}

}  // namespace berth
