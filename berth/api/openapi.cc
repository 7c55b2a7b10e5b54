#include "berth/api/openapi.h"

#include <algorithm>
#include <array>
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
    if (route.query == "NodeEventQuery") {
        add("node", "query", true);
        for (const char* name : {"from", "until"}) add(name, "query", false);
        return all;
    }
    for (const char* name : {"job", "user", "account", "partition"}) add(name, "query", true);
    if (route.query == "UsageQuery") {
        for (const char* name : {"node", "group", "wckey"}) add(name, "query", true);
        for (const char* name : {"from", "until", "by_size", "reservations"})
            add(name, "query", false);
        return all;
    }
    for (const char* name : {"state", "name"}) add(name, "query", true);
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

constexpr auto kNames = std::to_array<std::pair<RouteId, std::string_view>>({
    {RouteId::health, "health"},
    {RouteId::openapi, "openapi"},
    {RouteId::ping, "ping"},
    {RouteId::config, "config"},
    {RouteId::state_hash, "state_hash"},
    {RouteId::list_jobs, "list_jobs"},
    {RouteId::submit_job, "submit_job"},
    {RouteId::show_job, "show_job"},
    {RouteId::update_job, "update_job"},
    {RouteId::cancel_job, "cancel_job"},
    {RouteId::hold_job, "hold_job"},
    {RouteId::release_job, "release_job"},
    {RouteId::requeue_job, "requeue_job"},
    {RouteId::create_step, "create_step"},
    {RouteId::complete_job, "complete_job"},
    {RouteId::explain_job, "explain_job"},
    {RouteId::show_script, "show_script"},
    {RouteId::list_nodes, "list_nodes"},
    {RouteId::show_node, "show_node"},
    {RouteId::update_node, "update_node"},
    {RouteId::list_partitions, "list_partitions"},
    {RouteId::list_licenses, "list_licenses"},
    {RouteId::list_reservations, "list_reservations"},
    {RouteId::create_reservation, "create_reservation"},
    {RouteId::update_reservation, "update_reservation"},
    {RouteId::delete_reservation, "delete_reservation"},
    {RouteId::list_associations, "list_associations"},
    {RouteId::list_qos, "list_qos"},
    {RouteId::edit_accounting, "edit_accounting"},
    {RouteId::list_accounting, "list_accounting"},
    {RouteId::list_priorities, "list_priorities"},
    {RouteId::list_shares, "list_shares"},
    {RouteId::list_queues, "list_queues"},
    {RouteId::set_usage, "set_usage"},
    {RouteId::show_diagnostics, "show_diagnostics"},
    {RouteId::reset_diagnostics, "reset_diagnostics"},
    {RouteId::reconfigure, "reconfigure"},
    {RouteId::metrics, "metrics"},
    {RouteId::metrics_jobs, "metrics_jobs"},
    {RouteId::metrics_nodes, "metrics_nodes"},
    {RouteId::metrics_partitions, "metrics_partitions"},
    {RouteId::metrics_scheduler, "metrics_scheduler"},
    {RouteId::revoke_certificates, "revoke_certificates"},
    {RouteId::create_join_token, "create_join_token"},
    {RouteId::join, "join"},
    {RouteId::create_token, "create_token"},
    {RouteId::suspend_job, "suspend_job"},
    {RouteId::resume_job, "resume_job"},
    {RouteId::notify_job, "notify_job"},
    {RouteId::keep_alive, "keep_alive"},
    {RouteId::top_jobs, "top_jobs"},
    {RouteId::create_partition, "create_partition"},
    {RouteId::update_partition, "update_partition"},
    {RouteId::delete_partition, "delete_partition"},
    {RouteId::attach_step, "attach_step"},
    {RouteId::create_nodes, "create_nodes"},
    {RouteId::delete_node, "delete_node"},
    {RouteId::test_job, "test_job"},
    {RouteId::show_usage, "show_usage"},
    {RouteId::list_node_events, "list_node_events"},
    {RouteId::checkpoint_job, "checkpoint_job"},
    {RouteId::update_step, "update_step"},
});
static_assert(kNames.size() == static_cast<std::size_t>(RouteId::update_step) + 1, "one for each");

std::string_view name_of(RouteId id) {
    const auto* const found = std::ranges::find(kNames, id, &decltype(kNames)::value_type::first);
    return found == kNames.end() ? "?" : found->second;
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
