// ApiRequest and ApiResponse: a request and its response, independent of the transport.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "berth/api/messages.h"
#include "berth/api/routes.h"
#include "berth/model/principal.h"

namespace berth {

struct ApiRequest {
    std::string method;  // "GET"
    std::string target;  // Path and query, as sent.
    std::string body;
    Principal principal;
    bool remote = false;  // Not over this host's Unix socket.
    std::string refused;  // Why its token is invalid; the principal then has no role.
};

// A long body, generated while it is sent, so that it is never in memory as a whole.
class BodyParts {
public:
    virtual ~BodyParts() = default;
    // Writes the next part to `part`; false at the end.
    virtual bool next(std::string& part) = 0;
};

struct ApiResponse {
    std::int32_t status = 200;
    std::string content_type = "application/json";
    std::string body;
    std::unique_ptr<BodyParts> parts;   // Instead of `body`.
    std::string allow;                  // For a 405: the methods of the path.
    std::optional<api::RouteId> route;  // The route, if it is known.
};

ApiResponse respond(const api::Problem& problem);
ApiResponse respond_json(std::string body, std::int32_t status = 200);

}  // namespace berth
