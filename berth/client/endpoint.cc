#include "berth/client/endpoint.h"

#include <unistd.h>

#include <cstdlib>

namespace berth {
namespace {

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

Endpoint find_endpoint() {
    if (std::string given = environment("BERTH_SOCKET"); !given.empty()) return {std::move(given)};
    const std::string run_dir = environment("XDG_RUNTIME_DIR");
    if (!exists(kSystemSocket) && !run_dir.empty()) {
        if (std::string own = run_dir + "/berth/berthd.sock"; exists(own)) return {std::move(own)};
    }
    return {kSystemSocket};
}

}  // namespace berth
