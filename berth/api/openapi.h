// The OpenAPI 3.1 document of /v1, made of the table of routes and the fields of the messages.
#pragma once

#include <string>
#include <string_view>

namespace berth::api {

std::string openapi_document(std::string_view version);

}  // namespace berth::api
