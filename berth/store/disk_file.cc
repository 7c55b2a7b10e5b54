#include "berth/store/disk_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace berth {

Error file_error(const std::string& path) {
    const int why = errno;
    return {why == ENOSPC   ? ErrorCode::resource_exhausted
            : why == ENOENT ? ErrorCode::not_found
                            : ErrorCode::internal,
            path + ": " + std::strerror(why)};
}

Status sync_directory(const std::string& directory) {
    const int folder = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return file_error(directory);
    const Status synced = fsync(folder) == 0 ? Status(Done{}) : Status(file_error(directory));
    close(folder);
    return synced;
}

}  // namespace berth
