#include "berth/trust/ownership.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <filesystem>

namespace berth {
namespace {

namespace fs = std::filesystem;

constexpr int kLinksMax = 40;  // As the kernel's own limit.
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

Error cannot(const std::string& path, const char* doing) {
    const ErrorCode code = errno == EACCES ? ErrorCode::permission_denied : ErrorCode::internal;
    return {code, std::string("cannot ") + doing + ' ' + path + ": " + std::strerror(errno)};
}

Error refused(std::string why) { return {ErrorCode::permission_denied, std::move(why)}; }

std::string our_name() { return ::geteuid() == 0 ? "root" : std::to_string(::geteuid()); }

bool is_foreign(const struct stat& found) {
    return found.st_uid != 0 && found.st_uid != ::geteuid();
}

std::string belongs(const std::string& path, const struct stat& found) {
    return path + " belongs to uid " + std::to_string(found.st_uid);
}

Result<std::string> target_of(const std::string& link) {
    std::array<char, PATH_MAX> text{};
    const ssize_t size = ::readlink(link.c_str(), text.data(), text.size());
    if (size < 0) return cannot(link, "read the link");
    return std::string(text.data(), static_cast<std::size_t>(size));
}

void put_before(std::deque<std::string>& rest, const fs::path& path) {
    std::deque<std::string> parts;
    for (const fs::path& part : path) {
        if (part != "/" && part != "." && !part.empty()) parts.push_back(part.string());
    }
    rest.insert(rest.begin(), parts.begin(), parts.end());
}

Status check_part(const std::string& path, const struct stat& found) {
    if (is_foreign(found)) {
        return refused(belongs(path, found) +
                       ", who could put something else in its place: name a path that only root "
                       "can change");
    }
    const bool is_open = (found.st_mode & kOthersWrite) != 0 && !S_ISLNK(found.st_mode);
    if (!is_open || (found.st_mode & S_ISVTX) != 0) return Done{};
    return refused("users other than root may write to " + path + ": chmod go-w " + path);
}

}  // namespace

Status check_ownership(const std::string& path) {
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0) {
        if (errno == ENOENT) return Done{};
        return cannot(path, "look at");
    }
    if (is_foreign(found)) {
        return refused(belongs(path, found) + " and should belong to " + our_name() + ": chown " +
                       our_name() + ' ' + path);
    }
    if ((found.st_mode & kOthersWrite) == 0) return Done{};
    return refused("other users may write to " + path + ": chmod go-w " + path);
}

Status check_path(const std::string& path) {
    if (::geteuid() != 0) return Done{};
    std::deque<std::string> rest;
    put_before(rest, fs::absolute(path));
    fs::path at = "/";
    for (int links = 0; !rest.empty();) {
        const std::string part = rest.front();
        rest.pop_front();
        if (part == "..") {
            at = at.parent_path();
            continue;
        }
        const fs::path next = at / part;
        struct stat found{};
        if (::lstat(next.c_str(), &found) != 0) {
            if (errno == ENOENT) return Done{};
            return cannot(next, "look at");
        }
        const bool is_link = S_ISLNK(found.st_mode);
        // What was named itself can be mended; the way there is better avoided.
        const bool is_named = rest.empty() && !is_link && (found.st_mode & S_ISVTX) == 0;
        BERTH_CHECK(is_named ? check_ownership(next) : check_part(next, found));
        if (!is_link) {
            at = next;
            continue;
        }
        if (++links > kLinksMax) return refused(path + " goes through too many links");
        BERTH_TRY(const fs::path target, target_of(next));
        if (target.is_absolute()) at = "/";
        put_before(rest, target);
    }
    return Done{};
}

Status make_owned_folder(const std::string& path, mode_t mode) {
    BERTH_CHECK(check_path(path));
    const fs::path whole = fs::absolute(path).lexically_normal();
    fs::path at;
    for (const fs::path& part : whole) {
        if (part.empty()) continue;  // Behind the last slash.
        at /= part;
        const mode_t wanted = at == whole || at / "" == whole ? mode : 0755;
        if (::mkdir(at.c_str(), 0700) == 0) {
            if (::chmod(at.c_str(), wanted) != 0) return cannot(at, "set the mode of");
        } else if (errno != EEXIST) {
            // In some places mkdir says EROFS or EACCES of a folder that is there.
            std::error_code ignored;
            const int why = errno;
            if (fs::is_directory(at, ignored)) continue;
            errno = why;
            return cannot(at, "make the folder");
        }
    }
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0) return cannot(path, "look at");
    if (!S_ISDIR(found.st_mode)) {
        return Error{ErrorCode::failed_precondition, path + " is not a folder: name another"};
    }
    BERTH_CHECK(check_path(path));  // Somebody may have been faster.
    return check_ownership(path);
}

}  // namespace berth
