// The tables of the state file, and which version of them this program knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/store/sqlite.h"

namespace berth {

inline constexpr std::int64_t kSchemaVersion = 2;
inline constexpr const char* kStateFile = "berth.db";  // Within the state directory.

// Makes the tables where there are none; refuses a file that is not ours, or of another version.
// Sets the connection up so that COMMIT returns only once its work is on the disk.
Status prepare_schema(Database& database, const std::string& path);

// The same for one who only reads: makes nothing, and refuses a file that has no tables.
Status check_schema(Database& database, const std::string& path);

// Whole numbers by name. "epoch" is there from the first moment; a file that was restored from a
// copy has kRestoredNextJob too: the first id that was certainly not given before.
inline constexpr std::string_view kRestoredNextJob = "restored_next_job";
Result<std::int64_t> read_meta(Database& database, std::string_view name,
                               std::optional<std::int64_t> otherwise = std::nullopt);
Status write_meta(Database& database, std::string_view name, std::int64_t value);

}  // namespace berth
