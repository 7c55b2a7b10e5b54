#include "berth/cli/doctor_host.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "berth/base/text.h"
#include "berth/trust/certificates.h"
#include "berth/trust/key_file.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kConnectMs = 3000;
constexpr int kSyncs = 5;

std::string text_of_control(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The middle of a few: one may have waited for somebody else's.
std::optional<std::int64_t> time_sync(const std::string& folder) {
    std::string path = folder + "/.doctor-XXXXXX";
    const int fd = ::mkostemp(path.data(), O_CLOEXEC);
    if (fd < 0) return std::nullopt;
    ::unlink(path.c_str());
    std::array<std::int64_t, kSyncs> took{};
    const std::string block(4096, 'x');
    for (std::int64_t& one : took) {
        const auto begun = std::chrono::steady_clock::now();
        if (::write(fd, block.data(), block.size()) < 0 || ::fdatasync(fd) != 0) {
            ::close(fd);
            return std::nullopt;
        }
        one = std::chrono::duration_cast<std::chrono::microseconds>(
                  std::chrono::steady_clock::now() - begun)
                  .count();
    }
    ::close(fd);
    std::ranges::sort(took);
    return took[kSyncs / 2];
}

// Empty: somebody listens there.
std::string connect_to(const sockaddr* address, socklen_t size) {
    const int fd = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return std::strerror(errno);
    int error = ::connect(fd, address, size) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        pollfd waited{fd, POLLOUT, 0};
        socklen_t length = sizeof error;
        error = ::poll(&waited, 1, kConnectMs) == 1 ? 0 : ETIMEDOUT;
        if (error == 0) ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
    }
    ::close(fd);
    return error == 0 ? "" : std::strerror(error);
}

std::string trouble_with_socket(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return "its path is too long";
    path.copy(address.sun_path, path.size());
    return connect_to(reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

// "head:6817"
std::string trouble_with_port(const std::string& place) {
    const std::size_t colon = place.rfind(':');
    const std::string host = place.substr(0, colon);
    const std::string port = colon == std::string::npos ? "6817" : place.substr(colon + 1);
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_socktype = SOCK_STREAM;
    if (const int failed = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found); failed != 0)
        return ::gai_strerror(failed);
    std::string trouble = "it has no address";
    for (const addrinfo* one = found; one != nullptr && !trouble.empty(); one = one->ai_next)
        trouble = connect_to(one->ai_addr, one->ai_addrlen);
    ::freeaddrinfo(found);
    return trouble;
}

// BERTH_CONTROLLER="head:6817" of a file for the shell.
std::string setting_in(const std::string& file, std::string_view name) {
    const std::string text = text_of_control(file);
    for (const std::string_view line : split(text, '\n')) {
        const std::string_view rest = trim(line);
        if (!rest.starts_with(name) || !rest.substr(name.size()).starts_with("=")) continue;
        std::string value(trim(rest.substr(name.size() + 1)));
        std::erase(value, '"');
        return value;
    }
    return "";
}

class Look {
public:
    Look(const HostPlaces& places, const ClusterSpec& spec) : places_(places), spec_(spec) {}

    HostFacts take() {
        programs();
        files();
        // As the daemon itself: another could not write there anyway.
        if (places_.is_root) facts_.sync_micros = time_sync(places_.state);
        if (!places_.cgroup2.empty()) {
            facts_.missing_controllers =
                missing_controllers(text_of_control(places_.cgroup2 + "/cgroup.controllers"));
        }
        for (const auto& [key, value] : spec_.settings) {
            if (iequals(key, "UsePAM")) facts_.wants_pam = value == "1" || iequals(value, "yes");
        }
        std::error_code ignored;
        facts_.has_pam_service = fs::exists(places_.pam_service, ignored);
        node();
        const Result<std::string> authority = read_secret_file(places_.state + "/keys/ca.pem");
        if (!authority.ok()) return std::move(facts_);
        const auto facts = read_certificate(*authority);
        if (facts.ok()) facts_.authority_until = facts->not_after;
        return std::move(facts_);
    }

private:
    void program(const char* key, const std::string& path, bool is_default = false) {
        if (path.empty() || path.find_first_of("*?[") != std::string::npos) return;
        std::string trouble = trouble_with_program(path);
        if (!trouble.empty())
            facts_.programs.push_back({key, path, std::move(trouble), is_default});
    }

    void programs() {
        program("MailProg", spec_.notifications.mail_program,
                spec_.notifications == NotificationSpec{});
        for (const std::string& one : spec_.hooks.controller_prolog)
            program("PrologSlurmctld", one);
        for (const std::string& one : spec_.hooks.controller_epilog)
            program("EpilogSlurmctld", one);
        program("fence", spec_.fence.program);
        if (spec_.notifications.webhook_secret_file.empty()) return;
        const std::string& secret = spec_.notifications.webhook_secret_file;
        const std::string trouble = trouble_with_secret(secret);
        if (!trouble.empty() || ::access(secret.c_str(), F_OK) != 0) {
            facts_.files.push_back({secret, trouble.empty() ? "is not there" : trouble,
                                    "nothing is sent to the webhook: write the secret into it, and "
                                    "chmod 600 " +
                                        secret});
        }
    }

    // What the daemons refuse to start with. A user who looks on may see what is its daemon's own.
    void owned(const std::string& path) {
        struct stat file{};
        if (::stat(path.c_str(), &file) != 0 || (file.st_mode & S_ISVTX) != 0) return;
        if (places_.is_root && file.st_uid != 0 && file.st_uid != ::geteuid()) {
            facts_.files.push_back(
                {path, "belongs to uid " + std::to_string(file.st_uid), "chown root " + path});
        } else if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
            facts_.files.push_back({path, "can be changed by others", "chmod go-w " + path});
        }
    }

    void files() {
        std::error_code failed;
        owned(places_.config);
        for (const fs::directory_entry& entry : fs::directory_iterator(places_.config, failed))
            owned(entry.path());
        owned(fs::path(places_.state).parent_path());
        owned(places_.state);
        owned(places_.state + "/berth.db");
        for (const fs::directory_entry& entry :
             fs::directory_iterator(places_.state + "/keys", failed)) {
            const std::string trouble = trouble_with_secret(entry.path());
            if (trouble.empty()) continue;
            facts_.files.push_back({entry.path(), trouble,
                                    "chmod 600 " + entry.path().string() +
                                        "; if others may have read it, change the keys"});
        }
    }

    void node() {
        std::error_code ignored;
        facts_.has_launcher = fs::exists(places_.launcher_unit, ignored);
        if (facts_.has_launcher)
            facts_.launcher_trouble = trouble_with_socket(places_.launcher_socket);
        if (fs::is_directory(places_.agent_state, ignored) && places_.is_root) {
            struct stat folder{};
            if (::stat(places_.agent_state.c_str(), &folder) == 0 &&
                (folder.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
                facts_.files.push_back({places_.agent_state, "can be changed by others",
                                        "chmod go-w " + places_.agent_state});
            }
        }
        const std::string controller = setting_in(places_.agent_defaults, "BERTH_CONTROLLER");
        if (controller.empty() || controller.starts_with("unix:")) return;
        facts_.controller_port = controller;
        facts_.port_trouble = trouble_with_port(controller);
    }

    const HostPlaces& places_;
    const ClusterSpec& spec_;
    HostFacts facts_;
};

}  // namespace

std::string trouble_with_program(const std::string& path) {
    struct stat file{};
    if (::stat(path.c_str(), &file) != 0) return "is not there";
    if (!S_ISREG(file.st_mode)) return "is no file";
    if (file.st_uid != 0 && file.st_uid != ::geteuid()) return "is not root's";
    if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "can be changed by others (chmod go-w)";
    if ((file.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0) return "is not executable (chmod +x)";
    return "";
}

std::string trouble_with_secret(const std::string& path) {
    struct stat file{};
    if (::stat(path.c_str(), &file) != 0) return "";
    if (S_ISREG(file.st_mode) && (file.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return path.ends_with(".pub") ? "" : "holds a secret, and others may read it";
    }
    return "";
}

std::vector<std::string> missing_controllers(const std::string& controllers) {
    const std::vector<std::string_view> there = split(controllers, ' ');
    std::vector<std::string> missing;
    for (const char* one : {"cpuset", "cpu", "memory", "pids"}) {
        const bool found =
            std::ranges::any_of(there, [&](std::string_view word) { return trim(word) == one; });
        if (!found) missing.emplace_back(one);
    }
    return missing;
}

HostFacts look_at_host(const HostPlaces& places, const ClusterSpec& spec) {
    return Look(places, spec).take();
}

}  // namespace berth::cli
