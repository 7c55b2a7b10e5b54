#include "apps/berth_agent/this_machine.h"

#include <sys/random.h>
#include <sys/utsname.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "berth/base/text.h"

namespace berth {

namespace {

std::optional<Time> booted_at() {
    std::ifstream file("/proc/stat");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("btime ")) continue;
        const Result<std::int64_t> seconds = parse_int64(trim(std::string_view(line).substr(6)));
        if (seconds.ok()) return from_seconds(*seconds);
    }
    return std::nullopt;
}

// Unique for each process.
std::string instance() {
    std::uint64_t words[2] = {};
    BERTH_ASSERT(getrandom(words, sizeof words, 0) == sizeof words);
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(words[0]),
                  static_cast<unsigned long long>(words[1]));
    return text;
}

utsname kernel() {
    utsname system{};
    BERTH_ASSERT(uname(&system) == 0);  // Fails only for an invalid address.
    return system;
}

}  // namespace

Result<std::string> boot_id() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    if (std::getline(file, id) && !id.empty()) return id;
    return Error{ErrorCode::internal, "/proc/sys/kernel/random/boot_id cannot be read"};
}

Result<AgentIdentity> identify(const NodeSpec& found) {
    BERTH_TRY(std::string boot, boot_id());
    const utsname system = kernel();
    return AgentIdentity{
        .node = found.name,
        .instance = instance(),
        .boot_id = std::move(boot),
        .booted_at = booted_at(),
        .version = BERTH_VERSION,
        .os = std::string(system.sysname) + ' ' + system.release + ' ' + system.version,
        .arch = system.machine,
        .found = found};
}

std::string program_folder() {
    std::error_code wrong;
    return std::filesystem::read_symlink("/proc/self/exe", wrong).parent_path().string();
}

}  // namespace berth
