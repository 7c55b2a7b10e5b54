#include "berth/client/host_name.h"

#include <unistd.h>

#include <array>

namespace berth {

std::string short_host_name() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    const std::string full = name.data();
    return full.empty() ? "localhost" : full.substr(0, full.find('.'));
}

}  // namespace berth
