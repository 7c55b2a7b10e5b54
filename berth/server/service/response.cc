#include "berth/server/service/response.h"

#include "berth/api/json.h"
#include "berth/api/problem.h"

namespace berth {

ApiResponse respond(const api::Problem& problem) {
    return {.status = problem.status,
            .content_type = std::string(api::kProblemType),
            .body = api::to_json(problem)};
}

ApiResponse respond_json(std::string body, std::int32_t status) {
    return {.status = status, .body = std::move(body)};
}

}  // namespace berth
