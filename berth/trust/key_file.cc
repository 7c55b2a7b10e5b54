#include "berth/trust/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace berth {
namespace {

constexpr off_t kBytesMax = 64 * 1024;

Error file_failed(const std::string& path, const char* doing) {
    const ErrorCode code = errno == ENOENT   ? ErrorCode::not_found
                           : errno == EACCES ? ErrorCode::permission_denied
                                             : ErrorCode::internal;
    return {code, path + ": " + doing + ": " + std::strerror(errno)};
}

struct File {
    int fd;
    ~File() { ::close(fd); }
};

Status check_secret(const std::string& path, const struct stat& file) {
    const auto refuse = [&](const std::string& why) {
        return Error{ErrorCode::permission_denied, path + " holds a secret, and " + why};
    };
    if (!S_ISREG(file.st_mode)) return refuse("is no file");
    if (file.st_uid != ::geteuid() && file.st_uid != 0)
        return refuse("belongs to uid " + std::to_string(file.st_uid) + ": give it to root");
    if ((file.st_mode & 077) != 0) return refuse("others may use it: chmod 600 " + path);
    if (file.st_size > kBytesMax) return refuse("is too large to be one");
    return Done{};
}

Status write_whole(const std::string& path, std::string_view text, mode_t mode) {
    const std::string beside = path + ".new";
    ::unlink(beside.c_str());
    const int fd =
        ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return file_failed(beside, "cannot make it");
    const File file{fd};
    for (std::size_t put = 0; put < text.size();) {
        const ssize_t n = ::write(fd, text.data() + put, text.size() - put);
        if (n < 0) return file_failed(beside, "cannot write it");
        put += static_cast<std::size_t>(n);
    }
    if (::fchmod(fd, mode) != 0 || ::fsync(fd) != 0) return file_failed(beside, "cannot keep it");
    if (::rename(beside.c_str(), path.c_str()) != 0)
        return file_failed(path, "cannot put it there");
    const int folder =
        ::open(path.substr(0, path.rfind('/') + 1).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return file_failed(path, "cannot open its folder");
    const File closed{folder};
    if (::fsync(folder) != 0) return file_failed(path, "cannot sync its folder");
    return Done{};
}

}  // namespace

Result<std::string> read_secret_file(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return file_failed(path, "cannot open it");
    const File file{fd};
    struct stat found{};
    if (::fstat(fd, &found) != 0) return file_failed(path, "cannot look at it");
    BERTH_CHECK(check_secret(path, found));
    std::string text(static_cast<std::size_t>(found.st_size), '\0');
    for (std::size_t got = 0; got < text.size();) {
        const ssize_t n = ::read(fd, text.data() + got, text.size() - got);
        if (n < 0) return file_failed(path, "cannot read it");
        if (n == 0) return Error{ErrorCode::internal, path + " got shorter while it was read"};
        got += static_cast<std::size_t>(n);
    }
    return text;
}

Status write_secret_file(const std::string& path, std::string_view text) {
    return write_whole(path, text, 0600);
}

Status write_public_file(const std::string& path, std::string_view text) {
    return write_whole(path, text, 0644);
}

Status make_secret_folder(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return file_failed(path, "cannot make it");
    return Done{};
}

}  // namespace berth
