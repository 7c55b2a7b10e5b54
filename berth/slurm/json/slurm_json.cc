#include "berth/slurm/json/slurm_json.h"

#include <grp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "berth/slurm/options/arguments.h"
#include "berth/slurmrest/meta.h"

namespace berth::slurm {
namespace {

static_assert(std::string_view(kVersion).substr(6) == slurmrest::kRelease);

// The one that the command line names, else the newest.
std::string_view shape_asked(const Invocation& call) {
    for (const std::string& word : call.arguments) {
        for (const std::string_view shape : slurmrest::data_parsers()) {
            for (const char* const option : {"--json=", "--yaml="})
                if (word == option + std::string(shape)) return shape;
        }
    }
    return slurmrest::data_parsers().front();
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
    const auto shapes = slurmrest::data_parsers();
    if (value == nullptr || std::ranges::find(shapes, value) != shapes.end()) return Done{};
    return Error{ErrorCode::failed_precondition,
                 "data_parser " + std::string(value) + " is not supported yet; there are " +
                     std::string(shapes[0]) + ", which is the default, and " +
                     std::string(shapes[1])};
}

SlurmJson::SlurmJson(std::ostream& out, Notation notation)
    : ShapeWriter(text, notation), out_(out), notation_(notation) {}

void SlurmJson::finish(const Invocation& call, const std::string& cluster) {
    slurmrest::Meta meta{.plugin_type = {},
                         .plugin_name = {},
                         .data_parser = std::string(shape_asked(call)),
                         .accounting_storage = {},
                         .source = {},
                         .user = user_name_of(::geteuid()),
                         .group = group_name_of(::getegid()),
                         .command = {call.name},
                         .cluster = cluster};
    meta.command.insert(meta.command.end(), call.arguments.begin(), call.arguments.end());
    slurmrest::put_frame(*this, meta);
    end();
    if (notation_ == Notation::json) text += '\n';
    flush();
}

void SlurmJson::flush() {
    out_ << text;
    text.clear();
}

}  // namespace berth::slurm
