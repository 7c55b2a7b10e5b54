// Every route with any target and any body, as an ordinary user's and as an administrator's: the
// service answers, or has a command for the controller.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "berth/server/http/server_rig.h"

namespace berth {
namespace {

struct Served {
    Served() { (void)cluster.publish(read_model); }
    SampleCluster cluster = [] {
        SampleCluster made;
        made.submit(SampleCluster::job(1));
        made.submit(SampleCluster::job(2, 1001));
        made.start(2, 0);
        return made;
    }();
    ReadModel read_model;
    PlayedArchive archive;
    Service service{{"0.1.0", "here", from_seconds(1), 42}, read_model, archive};
};

// The path of a route, with what was given in place of what it names.
std::string path_of(const api::Route& route, std::string_view given) {
    std::string path(route.path);
    const std::size_t open = path.find('{');
    if (open != std::string::npos) path.replace(open, path.find('}') + 1 - open, given);
    return path;
}

std::string body_of(const ApiResponse& response) {
    std::string body = response.body, part;
    while (response.parts != nullptr && response.parts->next(part)) body += part;
    return body;
}

}  // namespace

// A route, a role, then lines: what the path names, the query, and the rest is the body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const Served& served = *new Served;
    if (size < 2) return 0;
    const auto routes = api::routes();
    const api::Route& route = routes[bytes[0] % routes.size()];
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    std::string_view text(reinterpret_cast<const char*>(bytes) + 2, size - 2);
    const auto line = [&text] {
        const std::string_view one = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        return one;
    };
    constexpr std::array kRoles = {Role::user, Role::op, Role::admin};
    ApiRequest request{.method = std::string(api::to_string(route.method)),
                       .principal = {.uid = 1000, .gid = 1000, .user = "user1000"}};
    request.principal.role = kRoles[bytes[1] % kRoles.size()];
    request.target = path_of(route, line());
    if (const std::string_view query = line(); !query.empty())
        request.target += '?' + std::string(query);
    request.body = text;
    auto outcome = served.service.serve(request);
    if (auto* const slow = std::get_if<SlowRead>(&outcome)) outcome = (*slow)();
    if (const auto* const response = std::get_if<ApiResponse>(&outcome))
        BERTH_ASSERT(!body_of(*response).empty() && response->status >= 200);
    return 0;
}

}  // namespace berth
