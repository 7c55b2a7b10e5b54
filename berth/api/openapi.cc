#include "berth/api/openapi.h"

#include <algorithm>
#include <map>

#include "berth/api/enum_names.h"
#include "berth/api/json.h"
#include "berth/api/json_fields.h"
#include "berth/api/problem.h"
#include "berth/api/routes.h"

namespace berth::api {
namespace {

JsonValue text(std::string_view words) { return {std::string(words)}; }
JsonValue object(JsonObject members) { return {std::move(members)}; }
JsonValue reference(std::string_view schema) {
    return object({{"$ref", text("#/components/schemas/" + std::string(schema))}});
}

// "JobRow" of berth::api::JobRow.
template <class T>
std::string type_name() {
    std::string_view name = __PRETTY_FUNCTION__;
    const std::size_t from = name.find("T = ") + 4;
    name = name.substr(from, name.find_first_of(";]", from) - from);
    if (const std::size_t colons = name.rfind("::"); colons != std::string_view::npos)
        name = name.substr(colons + 2);
    return std::string(name);
}

// Collects the schema of each type that the messages are made of.
class Schemas {
public:
    template <class T>
    JsonValue of() {
        return make(std::type_identity<T>{});
    }

    // {"sequence":…,"now":…,"jobs":[…]}
    JsonValue list_of(std::string_view member, std::string_view row) {
        const std::string name = std::string(row) + "List";
        done_[name] = object(
            {{"type", text("object")},
             {"properties", object({{"sequence", of<std::uint64_t>()},
                                    {"now", of<Time>()},
                                    {"more", of<bool>()},
                                    {std::string(member), object({{"type", text("array")},
                                                                  {"items", reference(row)}})}})}});
        return reference(name);
    }

    JsonValue take() {
        JsonObject all;
        for (auto& [name, schema] : done_) all.push_back({name, std::move(schema)});
        return object(std::move(all));
    }

private:
    struct Properties {
        Schemas& schemas;
        JsonObject all;
        template <class T>
        void operator()(const char* name, const T&) {
            all.push_back({name, schemas.of<T>()});
        }
    };

    template <HasFields T>
    JsonValue make(std::type_identity<T>) {
        const std::string name = type_name<T>();
        if (!done_.contains(name)) {
            done_[name] = {};  // So that it is not begun twice.
            Properties properties{*this, {}};
            const T none{};
            T::fields(none, properties);
            done_[name] = object({{"type", text("object")},
                                  {"properties", object(std::move(properties.all))},
                                  {"additionalProperties", {false}}});
        }
        return reference(name);
    }
    template <std::integral T>
    JsonValue make(std::type_identity<T>) {
        return object(
            {{"type", text("integer")}, {"format", text(sizeof(T) == 8 ? "int64" : "int32")}});
    }
    template <class T>
        requires std::is_enum_v<T>
    JsonValue make(std::type_identity<T>) {
        JsonArray names;
        for (const std::string_view name : enum_names<T>()) names.push_back(text(name));
        return object({{"type", text("string")}, {"enum", {std::move(names)}}});
    }
    JsonValue make(std::type_identity<bool>) { return object({{"type", text("boolean")}}); }
    JsonValue make(std::type_identity<std::string>) { return object({{"type", text("string")}}); }
    JsonValue make(std::type_identity<Duration>) {
        return object({{"type", text("integer")}, {"description", text("Whole seconds")}});
    }
    JsonValue make(std::type_identity<Time>) {
        return object({{"type", text("integer")}, {"description", text("Seconds since 1970")}});
    }
    template <class Unit>
    JsonValue make(std::type_identity<Quantity<Unit>>) {
        return of<std::int64_t>();
    }
    template <class Tag, class Rep>
    JsonValue make(std::type_identity<StrongId<Tag, Rep>>) {
        return of<Rep>();
    }
    template <class T>
    JsonValue make(std::type_identity<std::optional<T>>) {
        return of<T>();
    }
    template <HasPlain T>
    JsonValue make(std::type_identity<T>) {
        return of<typename T::Plain>();
    }
    template <class T>
    JsonValue make(std::type_identity<std::vector<T>>) {
        return object({{"type", text("array")}, {"items", of<T>()}});
    }
    template <class A, class B>
    JsonValue make(std::type_identity<std::pair<A, B>>) {
        JsonArray items;
        items.push_back(of<A>());
        items.push_back(of<B>());
        return object({{"type", text("array")},
                       {"prefixItems", {std::move(items)}},
                       {"minItems", {std::int64_t{2}}},
                       {"maxItems", {std::int64_t{2}}}});
    }

    std::map<std::string, JsonValue> done_;
};

JsonValue content_of(std::string_view type, JsonValue schema) {
    return object({{std::string(type), object({{"schema", std::move(schema)}})}});
}

// The names of the query's parameters, as query.cc reads them.
JsonArray parameters_of(const Route& route) {
    JsonArray all;
    const auto add = [&](std::string_view name, std::string_view in, bool list) {
        JsonValue schema = object({{"type", text("string")}});
        if (list) schema = object({{"type", text("array")}, {"items", std::move(schema)}});
        all.push_back(object({{"name", text(name)},
                              {"in", text(in)},
                              {"required", {in == "path"}},
                              {"schema", std::move(schema)}}));
    };
    const std::size_t open = route.path.find('{');
    if (open != std::string_view::npos)
        add(route.path.substr(open + 1, route.path.find('}') - open - 1), "path", false);
    if (route.query.empty()) return all;
    for (const char* name : {"job", "user", "account", "partition", "state", "name"})
        add(name, "query", true);
    if (route.query == "JobQuery") {
        for (const char* name : {"node", "field"}) add(name, "query", true);
    } else {
        for (const char* name : {"from", "until", "duplicates"}) add(name, "query", false);
    }
    return all;
}

std::string_view name_of(RouteId id);

JsonValue operation_of(const Route& route, Schemas& schemas) {
    JsonObject operation;
    operation.push_back({"operationId", text(name_of(route.id))});
    operation.push_back({"summary", text(route.summary)});
    if (!route.verb.empty()) operation.push_back({"x-verb", text(route.verb)});
    if (JsonArray parameters = parameters_of(route); !parameters.empty())
        operation.push_back({"parameters", {std::move(parameters)}});
    if (!route.request.empty()) {
        operation.push_back(
            {"requestBody",
             object({{"content", content_of("application/json", reference(route.request))}})});
    }
    JsonValue reply = object({{"type", text("object")}});
    if (!route.list.empty()) {
        reply = schemas.list_of(route.list, route.reply);
    } else if (!route.reply.empty()) {
        reply = reference(route.reply);
    }
    operation.push_back(
        {"responses",
         object({{std::to_string(route.success),
                  object({{"description", text("Done")},
                          {"content", content_of("application/json", std::move(reply))}})},
                 {"default",
                  object({{"description", text("Refused")},
                          {"content", content_of(kProblemType, reference("Problem"))}})}})});
    return object(std::move(operation));
}

JsonValue paths(Schemas& schemas) {
    JsonObject all;
    for (const Route& route : routes()) {
        auto path = std::ranges::find(all, route.path, &JsonMember::name);
        if (path == all.end()) path = all.insert(all.end(), {std::string(route.path), object({})});
        auto& methods = *std::get_if<JsonObject>(&path->value.value);
        methods.push_back({to_lower(to_string(route.method)), operation_of(route, schemas)});
    }
    return object(std::move(all));
}

std::string_view name_of(RouteId id) {
    switch (id) {
        case RouteId::health: return "health";
        case RouteId::openapi: return "openapi";
        case RouteId::ping: return "ping";
        case RouteId::config: return "config";
        case RouteId::state_hash: return "state_hash";
        case RouteId::list_jobs: return "list_jobs";
        case RouteId::submit_job: return "submit_job";
        case RouteId::show_job: return "show_job";
        case RouteId::update_job: return "update_job";
        case RouteId::cancel_job: return "cancel_job";
        case RouteId::hold_job: return "hold_job";
        case RouteId::release_job: return "release_job";
        case RouteId::requeue_job: return "requeue_job";
        case RouteId::create_step: return "create_step";
        case RouteId::complete_job: return "complete_job";
        case RouteId::explain_job: return "explain_job";
        case RouteId::show_script: return "show_script";
        case RouteId::list_nodes: return "list_nodes";
        case RouteId::show_node: return "show_node";
        case RouteId::update_node: return "update_node";
        case RouteId::list_partitions: return "list_partitions";
        case RouteId::list_licenses: return "list_licenses";
        case RouteId::list_reservations: return "list_reservations";
        case RouteId::create_reservation: return "create_reservation";
        case RouteId::update_reservation: return "update_reservation";
        case RouteId::delete_reservation: return "delete_reservation";
        case RouteId::list_associations: return "list_associations";
        case RouteId::list_qos: return "list_qos";
        case RouteId::edit_accounting: return "edit_accounting";
        case RouteId::list_accounting: return "list_accounting";
        case RouteId::list_priorities: return "list_priorities";
        case RouteId::list_shares: return "list_shares";
        case RouteId::set_usage: return "set_usage";
        case RouteId::show_diagnostics: return "show_diagnostics";
        case RouteId::reset_diagnostics: return "reset_diagnostics";
        case RouteId::reconfigure: return "reconfigure";
        case RouteId::metrics: return "metrics";
        case RouteId::metrics_jobs: return "metrics_jobs";
        case RouteId::metrics_nodes: return "metrics_nodes";
        case RouteId::metrics_partitions: return "metrics_partitions";
        case RouteId::metrics_scheduler: return "metrics_scheduler";
        case RouteId::revoke_certificates: return "revoke_certificates";
        case RouteId::create_join_token: return "create_join_token";
        case RouteId::join: return "join";
        case RouteId::create_token: return "create_token";
        case RouteId::suspend_job: return "suspend_job";
        case RouteId::resume_job: return "resume_job";
        case RouteId::notify_job: return "notify_job";
        case RouteId::keep_alive: return "keep_alive";
        case RouteId::top_jobs: return "top_jobs";
        case RouteId::create_partition: return "create_partition";
        case RouteId::update_partition: return "update_partition";
        case RouteId::delete_partition: return "delete_partition";
        case RouteId::attach_step: return "attach_step";
    }
    return "?";
}

}  // namespace

std::string openapi_document(std::string_view version) {
    Schemas schemas;
#define BERTH_API_SCHEMA(T) (void)schemas.of<T>();
    BERTH_API_MESSAGES(BERTH_API_SCHEMA)
#undef BERTH_API_SCHEMA
    JsonValue all_paths = paths(schemas);
    return to_text(object({{"openapi", text("3.1.0")},
                           {"info", object({{"title", text("Berth")}, {"version", text(version)}})},
                           {"paths", std::move(all_paths)},
                           {"components", object({{"schemas", schemas.take()}})}}));
}

}  // namespace berth::api
