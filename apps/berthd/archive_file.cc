#include "apps/berthd/archive_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>

#include "berth/api/json.h"
#include "berth/base/calendar.h"
#include "berth/server/views/accounting_rows.h"

namespace berth {
namespace {

Error trouble_with(const std::string& path) {
    return {ErrorCode::unavailable, path + ": " + std::strerror(errno)};
}

// Appends whole lines. After a failure the last line may be incomplete; readers skip it.
Status append(const std::string& path, std::string_view lines) {
    const int file =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return trouble_with(path);
    Status done = Done{};
    while (done.ok() && !lines.empty()) {
        const ssize_t put = ::write(file, lines.data(), lines.size());
        if (put < 0) done = trouble_with(path);
        if (put > 0) lines.remove_prefix(static_cast<std::size_t>(put));
    }
    if (done.ok() && ::fsync(file) != 0) done = trouble_with(path);
    ::close(file);
    return done;
}

}  // namespace

Status ArchiveFile::write(const std::vector<AccountingRecord>& records,
                          const ClusterSpec& spec) const {
    std::map<std::string, std::string> lines_of_file;
    for (const AccountingRecord& record : records) {
        const Time ended = record.ended_at.value_or(record.submitted_at);
        const std::string month = format_date_time(ended, Duration::zero()).substr(0, 7);
        lines_of_file[folder_ + "/jobs-" + month + ".jsonl"] +=
            api::to_json(accounting_row(spec, record)) + '\n';
    }
    for (const auto& [path, lines] : lines_of_file) BERTH_CHECK(append(path, lines));
    return Done{};
}

}  // namespace berth
