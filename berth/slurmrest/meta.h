// Meta: what data_parser puts beside its payload: "meta", "errors" and "warnings".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/slurmrest/shape_writer.h"

namespace berth::slurmrest {

// The release whose commands and REST API Berth speaks.
inline constexpr std::string_view kRelease = "25.11.0";

// "v0.0.44" and "v0.0.43", of that release and the one before. What is written is the same in both.
std::span<const std::string_view> data_parsers();

struct Meta {
    std::string plugin_type, plugin_name;  // "openapi/slurmctld"; empty for commands.
    std::string data_parser;               // "v0.0.44"
    std::string accounting_storage;
    std::string source, user, group;   // Of the client.
    std::vector<std::string> command;  // Of a command: its words.
    std::string cluster;
};

struct ErrorEntry {
    std::string description;
    std::int32_t number = 0;  // Of slurm_errno.h.
    std::string error, source;
};
struct WarningEntry {
    std::string description, source;
};

// The members at the end of the document's object.
void put_frame(ShapeWriter& json, const Meta& meta, const std::vector<ErrorEntry>& errors = {},
               const std::vector<WarningEntry>& warnings = {});

}  // namespace berth::slurmrest
