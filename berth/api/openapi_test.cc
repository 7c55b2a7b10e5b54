#include "berth/api/openapi.h"

#include <gtest/gtest.h>

#include <set>

#include "berth/api/json_value.h"
#include "berth/api/routes.h"
#include "berth/base/text.h"

namespace berth::api {
namespace {

// Every "$ref" within.
void collect(const JsonValue& value, std::set<std::string>& references) {
    if (const auto* const items = value.as<JsonArray>()) {
        for (const JsonValue& item : *items) collect(item, references);
    } else if (const auto* const members = value.as<JsonObject>()) {
        for (const auto& [name, member] : *members) {
            if (name == "$ref" && member.as<std::string>()) {
                references.insert(*member.as<std::string>());
            } else {
                collect(member, references);
            }
        }
    }
}

class OpenApi : public ::testing::Test {
protected:
    JsonValue document = *parse_json(openapi_document("0.1.0"));
};

TEST_F(OpenApi, DescribesEveryRouteAndNoOther) {
    const JsonValue& paths = *document.find("paths");
    std::size_t operations = 0;
    for (const auto& path : *paths.as<JsonObject>())
        operations += path.value.as<JsonObject>()->size();
    EXPECT_EQ(operations, routes().size());
    for (const Route& route : routes()) {
        const JsonValue* const path = paths.find(route.path);
        ASSERT_NE(path, nullptr) << route.path;
        const JsonValue* const operation = path->find(to_lower(to_string(route.method)));
        ASSERT_NE(operation, nullptr) << route.path;
        EXPECT_NE(operation->find("responses")->find(std::to_string(route.success)), nullptr);
    }
}

TEST_F(OpenApi, HasASchemaForEveryReference) {
    std::set<std::string> references;
    collect(document, references);
    EXPECT_GT(references.size(), 30U);
    const JsonValue& schemas = *document.find("components")->find("schemas");
    const std::string prefix = "#/components/schemas/";
    for (const std::string& reference : references) {
        ASSERT_TRUE(reference.starts_with(prefix));
        EXPECT_NE(schemas.find(reference.substr(prefix.size())), nullptr) << reference;
    }
}

TEST_F(OpenApi, TellsTheFieldsOfNestedMessages) {
    const JsonValue& schemas = *document.find("components")->find("schemas");
    const JsonValue& request = *schemas.find("JobRequest")->find("properties");
    EXPECT_EQ(*request.find("nodes_min")->find("type")->as<std::string>(), "integer");
    EXPECT_EQ(*request.find("gpus")->find("items")->find("$ref")->as<std::string>(),
              "#/components/schemas/GresRequest");
}

}  // namespace
}  // namespace berth::api
