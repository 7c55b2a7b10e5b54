#include "berth/slurm/json/slurm_json.h"

#include <grp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ostream>

#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/slurm/options/arguments.h"

namespace berth::slurm {
namespace {

// Of 25.11, and the one before: what is printed here is the same in both.
constexpr auto kShapes = std::to_array<std::string_view>({"v0.0.44", "v0.0.43"});

// The one that the command line names, else the newest.
std::string_view shape_asked(const Invocation& call) {
    for (const std::string& word : call.arguments) {
        for (const std::string_view shape : kShapes) {
            for (const char* const option : {"--json=", "--yaml="})
                if (word == option + std::string(shape)) return shape;
        }
    }
    return kShapes.front();
}

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

std::string group_name_of(std::uint32_t gid) {
    group entry{};
    group* found = nullptr;
    std::array<char, 16384> buffer{};
    if (getgrgid_r(gid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
        return entry.gr_name;
    return std::to_string(gid);
}

}  // namespace

Status check_shape(const char* value) {
    if (value == nullptr || std::ranges::find(kShapes, value) != kShapes.end()) return Done{};
    return Error{ErrorCode::failed_precondition,
                 "data_parser " + std::string(value) + " is not supported yet; there are " +
                     std::string(kShapes[0]) + ", which is the default, and " +
                     std::string(kShapes[1])};
}

SlurmJson::SlurmJson(std::ostream& out, Notation notation)
    : out_(out), writer_(std::in_place_type<api::JsonWriter>, text_) {
    if (notation == Notation::yaml) writer_.emplace<YamlWriter>(text_);
}

void SlurmJson::begin() {
    write([](auto& to) { to.begin_object(); });
}

void SlurmJson::key(std::string_view name) {
    write([&](auto& to) { to.key(name); });
}

void SlurmJson::end() {
    write([](auto& to) { to.end_object(); });
}

void SlurmJson::begin(std::string_view name) {
    key(name);
    begin();
}

void SlurmJson::begin_list(std::string_view name) {
    write([&](auto& to) {
        to.key(name);
        to.begin_array();
    });
}

void SlurmJson::end_list() {
    write([](auto& to) { to.end_array(); });
}

void SlurmJson::put(std::string_view name, std::string_view text) {
    write([&](auto& to) {
        to.key(name);
        to.text(text);
    });
}

void SlurmJson::put(std::string_view name, bool truth) {
    write([&](auto& to) {
        to.key(name);
        to.boolean(truth);
    });
}

void SlurmJson::put(std::string_view name, std::int64_t number) {
    write([&](auto& to) {
        to.key(name);
        to.number(number);
    });
}

void SlurmJson::put(std::string_view name, const std::vector<std::string>& texts) {
    begin_list(name);
    for (const std::string& text : texts) write([&](auto& to) { to.text(text); });
    end_list();
}

void SlurmJson::put_number(std::string_view name, std::optional<std::int64_t> number) {
    begin(name);
    put("set", number.has_value());
    put("infinite", false);
    put("number", number.value_or(0));
    end();
}

void SlurmJson::put_decimal(std::string_view name, std::int64_t billionths) {
    constexpr std::int64_t kOne = 1'000'000'000;
    const std::int64_t rest = billionths % kOne;
    std::string part = std::to_string(rest < 0 ? -rest : rest);
    part.insert(0, 9 - part.size(), '0');
    part.erase(std::max<std::size_t>(part.find_last_not_of('0') + 1, 1));
    const std::string sign = billionths < 0 && billionths > -kOne ? "-" : "";
    const std::string digits = sign + std::to_string(billionths / kOne) + "." + part;
    write([&](auto& to) {
        to.key(name);
        to.decimal(digits);
    });
}

void SlurmJson::put_billionths(std::string_view name, std::optional<std::int64_t> billionths) {
    begin(name);
    put("set", billionths.has_value());
    put("infinite", false);
    put_decimal("number", billionths.value_or(0));
    end();
}

void SlurmJson::put_infinite(std::string_view name) {
    begin(name);
    put("set", false);
    put("infinite", true);
    put("number", std::int64_t{0});
    end();
}

void SlurmJson::put_minutes(std::string_view name, std::optional<Duration> limit) {
    if (limit) {
        put_number(name, seconds(*limit) / 60);
    } else {
        put_infinite(name);
    }
}

void SlurmJson::put_time(std::string_view name, std::optional<Time> at) {
    put_number(name, at ? seconds(*at) : 0);
}

void SlurmJson::put_exit(std::string_view name, const ExitStatus& exit, bool is_over) {
    const std::string status = !is_over          ? "PENDING"
                               : exit.signal > 0 ? "SIGNALED"
                               : exit.code != 0  ? "ERROR"
                                                 : "SUCCESS";
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

void SlurmJson::put_tres(std::string_view name, std::string_view tres) {
    begin_list(name);
    if (!tres.empty()) {
        for (const auto part : split(tres, ',')) {
            const std::size_t equals = part.find('=');
            if (equals == std::string_view::npos) continue;
            const std::string_view full = part.substr(0, equals);
            const std::size_t slash = full.find('/');
            begin();
            put("type", full.substr(0, slash));
            put("name",
                slash == std::string_view::npos ? std::string_view() : full.substr(slash + 1));
            put("id", tres_id(full));
            put("count", tres_count(full, part.substr(equals + 1)));
            end();
        }
    }
    end_list();
}

void SlurmJson::put_meta(const Invocation& call, const std::string& cluster) {
    begin("meta");
    begin("plugin");
    put("type", ""), put("name", "");
    put("data_parser", "data_parser/" + std::string(shape_asked(call)));
    put("accounting_storage", "");
    end();
    begin("client");
    put("source", "");
    put("user", user_name_of(::geteuid()));
    put("group", group_name_of(::getegid()));
    end();
    std::vector<std::string> command{call.name};
    command.insert(command.end(), call.arguments.begin(), call.arguments.end());
    put("command", command);
    begin("slurm");
    const std::string release = std::string(kVersion).substr(6);
    const auto numbers = split(release, '.');
    begin("version");
    put("major", numbers[0]), put("micro", numbers[2]), put("minor", numbers[1]);
    end();
    put("release", release);
    put("cluster", cluster);
    end();
    end();
}

void SlurmJson::finish(const Invocation& call, const std::string& cluster) {
    put_meta(call, cluster);
    put("errors", std::vector<std::string>{});
    put("warnings", std::vector<std::string>{});
    end();
    if (std::holds_alternative<api::JsonWriter>(writer_)) text_ += '\n';
    flush();
}

void SlurmJson::flush() {
    out_ << text_;
    text_.clear();
}

}  // namespace berth::slurm
