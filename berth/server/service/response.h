// What a request and its answer are, whatever carries them.
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
    bool remote = false;  // Not over this host's own socket.
    std::string refused;  // Why its token makes it nobody: the principal has no role then.
};

// A long body, made while it is sent, so that it is never held as a whole.
class BodyParts {
public:
    virtual ~BodyParts() = default;
    // Puts the next part into `part`; false at the end.
    virtual bool next(std::string& part) = 0;
};

struct ApiResponse {
    std::int32_t status = 200;
    std::string content_type = "application/json";
    std::string body;
    std::unique_ptr<BodyParts> parts;   // Instead of `body`.
    std::string allow;                  // Of a 405: what the path takes.
    std::optional<api::RouteId> route;  // What was called, as far as it is known.
};

ApiResponse respond(const api::Problem& problem);
ApiResponse respond_json(std::string body, std::int32_t status = 200);

}  // namespace berth
