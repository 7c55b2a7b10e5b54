#include "berth/slurmrest/meta.h"

#include <array>

#include "berth/base/text.h"

namespace berth::slurmrest {
namespace {

constexpr auto kDataParsers = std::to_array<std::string_view>({"v0.0.44", "v0.0.43"});

void put_meta(ShapeWriter& json, const Meta& meta) {
    json.begin("meta");
    json.begin("plugin");
    json.put("type", meta.plugin_type), json.put("name", meta.plugin_name);
    json.put("data_parser", "data_parser/" + meta.data_parser);
    json.put("accounting_storage", meta.accounting_storage);
    json.end();
    json.begin("client");
    json.put("source", meta.source);
    json.put("user", meta.user), json.put("group", meta.group);
    json.end();
    json.put("command", meta.command);
    json.begin("slurm");
    const auto numbers = split(kRelease, '.');
    json.begin("version");
    json.put("major", numbers[0]), json.put("micro", numbers[2]), json.put("minor", numbers[1]);
    json.end();
    json.put("release", kRelease);
    json.put("cluster", meta.cluster);
    json.end();
    json.end();
}

}  // namespace

std::span<const std::string_view> data_parsers() { return kDataParsers; }

void put_frame(ShapeWriter& json, const Meta& meta, const std::vector<ErrorEntry>& errors,
               const std::vector<WarningEntry>& warnings) {
    put_meta(json, meta);
    json.begin_list("errors");
    for (const ErrorEntry& one : errors) {
        json.begin();
        json.put("description", one.description);
        json.put("error_number", std::int64_t{one.number});
        json.put("error", one.error), json.put("source", one.source);
        json.end();
    }
    json.end_list();
    json.begin_list("warnings");
    for (const WarningEntry& one : warnings) {
        json.begin();
        json.put("description", one.description), json.put("source", one.source);
        json.end();
    }
    json.end_list();
}

}  // namespace berth::slurmrest
