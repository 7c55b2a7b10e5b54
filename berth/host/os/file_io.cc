#include "berth/host/os/file_io.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "berth/host/os/unique_fd.h"

namespace berth {

namespace {

// Names the limit behind the error, if it can be raised.
std::string limit_of(int number) {
    rlimit files{};
    if (number == EMFILE && ::getrlimit(RLIMIT_NOFILE, &files) == 0) {
        return " (this process may open " + std::to_string(files.rlim_cur) +
               ": raise LimitNOFILE= of its unit, or ulimit -n)";
    }
    if (number == ENFILE) return " (of the whole machine: raise fs.file-max by sysctl)";
    return "";
}

}  // namespace

Error system_error(std::string_view what, int number) {
    ErrorCode code = ErrorCode::internal;
    switch (number) {
        case ENOENT:
        case ESRCH: code = ErrorCode::not_found; break;
        case EEXIST: code = ErrorCode::already_exists; break;
        case EACCES:
        case EPERM: code = ErrorCode::permission_denied; break;
        case ENOSPC:
        case EDQUOT:
        case EMFILE:
        case ENFILE:
        case ENOMEM: code = ErrorCode::resource_exhausted; break;
        case EBUSY:
        case EAGAIN: code = ErrorCode::unavailable; break;
        default: break;
    }
    return {code, std::string(what) + ": " + std::strerror(number) + limit_of(number)};
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!file) return system_error("cannot open " + path, errno);
    return read_to_end(file.get(), path, limit);
}

Result<std::string> read_to_end(int fd, const std::string& what, std::size_t limit) {
    std::string bytes;
    char part[16 * 1024];
    for (;;) {
        const ssize_t got = ::read(fd, part, sizeof part);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_error("cannot read " + what, errno);
        if (got == 0) return bytes;
        bytes.append(part, static_cast<std::size_t>(got));
        if (bytes.size() > limit) {
            return Error{ErrorCode::invalid_argument,
                         what + " is larger than the " + std::to_string(limit) + " bytes allowed"};
        }
    }
}

Status write_kernel_file(const std::string& path, std::string_view text) {
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) return system_error("cannot open " + path, errno);
    ssize_t put = 0;
    do {
        put = ::write(file.get(), text.data(), text.size());
    } while (put < 0 && errno == EINTR);
    if (put < 0) {
        return system_error("cannot write \"" + std::string(text) + "\" to " + path, errno);
    }
    return Done{};
}

Status write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return system_error("cannot write", errno);
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return Done{};
}

Status sync_folder(const std::string& path) {
    const UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return system_error("cannot open " + path, errno);
    if (::fsync(folder.get()) != 0) return system_error("cannot sync " + path, errno);
    return Done{};
}

namespace {

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

Status replace_file(const std::string& path, std::string_view bytes, mode_t mode, bool sync) {
    const std::string beside = path + ".new";
    UniqueFd file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    if (!file) return system_error("cannot create " + beside, errno);
    if (Status wrote = write_all(file.get(), bytes); !wrote.ok()) {
        return prefixed(beside, std::move(wrote).error());
    }
    if (sync && ::fsync(file.get()) != 0) return system_error("cannot sync " + beside, errno);
    if (::rename(beside.c_str(), path.c_str()) != 0) {
        return system_error("cannot rename " + beside + " to " + path, errno);
    }
    return sync ? sync_folder(folder_of(path)) : Done{};
}

}  // namespace

Status write_durably(const std::string& path, std::string_view bytes, mode_t mode) {
    return replace_file(path, bytes, mode, true);
}

Status write_atomically(const std::string& path, std::string_view bytes, mode_t mode) {
    return replace_file(path, bytes, mode, false);
}

Status make_folders(const std::string& path, mode_t mode) {
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        const std::string part = path.substr(0, slash);
        if (::mkdir(part.c_str(), slash == std::string::npos ? mode : 0755) != 0 &&
            errno != EEXIST) {
            return system_error("cannot make the folder " + part, errno);
        }
        if (slash == std::string::npos) return Done{};
    }
}

std::optional<std::string> closed_to_others(const std::string& path) {
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
        std::string part = path.substr(0, slash);
        struct stat found{};
        if (::stat(part.c_str(), &found) == 0 && (found.st_mode & S_IXOTH) == 0) return part;
        if (slash == std::string::npos) return std::nullopt;
    }
}

Status remove_tree(const std::string& path) {
    std::error_code failed;
    std::filesystem::remove_all(path, failed);
    if (failed) return system_error("cannot remove " + path, failed.value());
    return Done{};
}

}  // namespace berth
