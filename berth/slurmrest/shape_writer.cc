#include "berth/slurmrest/shape_writer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "berth/base/size_text.h"
#include "berth/base/text.h"

namespace berth::slurmrest {
namespace {

// Slurm's numbers of the TRES that every cluster has, and of the one that most add first.
struct TresId {
    std::string_view name;
    std::int64_t id;
};
constexpr auto kTresIds = std::to_array<TresId>(
    {{"cpu", 1}, {"mem", 2}, {"energy", 3}, {"node", 4}, {"billing", 5}, {"gres/gpu", 1001}});

std::int64_t tres_id(std::string_view name) {
    for (const TresId& one : kTresIds) {
        if (one.name == name) return one.id;
    }
    return 0;  // Others have no number here.
}

// Memory is in MiB.
std::int64_t tres_count(std::string_view name, std::string_view text) {
    if (name == "mem") {
        const auto size = parse_size(text);
        return size.ok() ? in_mib(size.value()) : 0;
    }
    return parse_int64(text).value_or(0);
}

// 396'040'000: "0.39604", and a whole number with one zero behind its point, as Slurm prints them.
std::string billionths_text(std::int64_t billionths) {
    constexpr std::int64_t kOne = 1'000'000'000;
    const std::int64_t rest = billionths % kOne;
    std::string part = std::to_string(rest < 0 ? -rest : rest);
    part.insert(0, 9 - part.size(), '0');
    part.erase(std::max<std::size_t>(part.find_last_not_of('0') + 1, 1));
    const std::string sign = billionths < 0 && billionths > -kOne ? "-" : "";
    return sign + std::to_string(billionths / kOne) + "." + part;
}

}  // namespace

ShapeWriter::ShapeWriter(std::string& out, Notation notation)
    : writer_(std::in_place_type<api::JsonWriter>, out) {
    if (notation == Notation::yaml) writer_.emplace<YamlWriter>(out);
}

void ShapeWriter::begin() {
    write([](auto& to) { to.begin_object(); });
}

void ShapeWriter::key(std::string_view name) {
    write([&](auto& to) { to.key(name); });
}

void ShapeWriter::end() {
    write([](auto& to) { to.end_object(); });
}

void ShapeWriter::begin(std::string_view name) {
    key(name);
    begin();
}

void ShapeWriter::begin_list(std::string_view name) {
    write([&](auto& to) {
        to.key(name);
        to.begin_array();
    });
}

void ShapeWriter::end_list() {
    write([](auto& to) { to.end_array(); });
}

void ShapeWriter::put(std::string_view name, std::string_view text) {
    write([&](auto& to) {
        to.key(name);
        to.text(text);
    });
}

void ShapeWriter::put(std::string_view name, bool truth) {
    write([&](auto& to) {
        to.key(name);
        to.boolean(truth);
    });
}

void ShapeWriter::put(std::string_view name, std::int64_t number) {
    write([&](auto& to) {
        to.key(name);
        to.number(number);
    });
}

void ShapeWriter::put(std::string_view name, const std::vector<std::string>& texts) {
    begin_list(name);
    for (const std::string& text : texts) write([&](auto& to) { to.text(text); });
    end_list();
}

void ShapeWriter::put_no_items(std::string_view name) {
    begin_list(name);
    end_list();
}

void ShapeWriter::put_number(std::string_view name, std::optional<std::int64_t> number) {
    begin(name);
    put("set", number.has_value());
    put("infinite", false);
    put("number", number.value_or(0));
    end();
}

void ShapeWriter::put_infinite(std::string_view name) {
    begin(name);
    put("set", false);
    put("infinite", true);
    put("number", std::int64_t{0});
    end();
}

void ShapeWriter::put_minutes(std::string_view name, std::optional<Duration> limit) {
    if (limit) {
        put_number(name, seconds(*limit) / 60);
    } else {
        put_infinite(name);
    }
}

void ShapeWriter::put_time(std::string_view name, std::optional<Time> at) {
    put_number(name, at ? seconds(*at) : 0);
}

void ShapeWriter::put_billionths(std::string_view name, std::optional<std::int64_t> billionths) {
    begin(name);
    put("set", billionths.has_value());
    put("infinite", false);
    write([&](auto& to) {
        to.key("number");
        to.decimal(billionths_text(billionths.value_or(0)));
    });
    end();
}

void ShapeWriter::put_exit(std::string_view name, const ExitStatus& exit) {
    const std::string status = exit.signal > 0 ? "SIGNALED" : exit.code != 0 ? "ERROR" : "SUCCESS";
    const char* const abbreviation = exit.signal > 0 ? sigabbrev_np(exit.signal) : nullptr;
    begin(name);
    put("status", std::vector{status});
    put_number("return_code",
               exit.signal > 0 ? std::nullopt : std::optional<std::int64_t>(exit.code));
    begin("signal");
    put_number("id", exit.signal > 0 ? std::optional<std::int64_t>(exit.signal) : std::nullopt);
    put("name", abbreviation == nullptr ? "" : abbreviation);
    end();
    end();
}

void ShapeWriter::put_tres(std::string_view name, std::string_view tres) {
    begin_list(name);
    if (!tres.empty()) {
        for (const auto part : split(tres, ',')) {
            const std::size_t equals = part.find('=');
            if (equals == std::string_view::npos) continue;
            const std::string_view full = part.substr(0, equals);
            put_one_tres(*this, full, tres_count(full, part.substr(equals + 1)));
        }
    }
    end_list();
}

void put_one_tres(ShapeWriter& json, std::string_view tres, std::int64_t count) {
    const std::size_t slash = tres.find('/');
    json.begin();
    json.put("type", tres.substr(0, slash));
    json.put("name", slash == std::string_view::npos ? std::string_view() : tres.substr(slash + 1));
    json.put("id", tres_id(tres));
    json.put("count", count);
    json.end();
}

}  // namespace berth::slurmrest
