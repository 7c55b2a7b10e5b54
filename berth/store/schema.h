// The tables of the state file, and which version of them this program knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/store/sqlite.h"

namespace berth {

inline constexpr std::int64_t kSchemaVersion = 4;
inline constexpr std::int64_t kOldestSchemaVersion = 2;  // That can be brought up to it.
inline constexpr const char* kStateFile = "berth.db";    // Within the state directory.

// Makes the tables where there are none, and brings those of an older version up to ours, of which
// a copy stays beside the file ("berth.db.version-2"). Refuses a file that is not ours, or of a
// newer version. Sets the connection up so that COMMIT returns only once its work is on the disk.
Status prepare_schema(Database& database, const std::string& path);

// The same for one who only reads: makes nothing, and refuses a file that has no tables, or those
// of an older version.
Status check_schema(Database& database, const std::string& path);

// Which version the file is of; refuses what is not ours, newer, or too old.
Result<std::int64_t> known_version(Database& database, const std::string& path);
// Brings it up to ours, in one transaction; keeps no copy.
Status migrate(Database& database, const std::string& path);

// Whole numbers by name. "epoch" is there from the first moment; a file that was restored from a
// copy has kRestoredNextJob too: the first id that was certainly not given before.
inline constexpr std::string_view kRestoredNextJob = "restored_next_job";
// 1: there is a tail beside the file (tail.h); where that is missing, it was lost.
inline constexpr std::string_view kHasTail = "has_tail";
Result<std::int64_t> read_meta(Database& database, std::string_view name,
                               std::optional<std::int64_t> otherwise = std::nullopt);
Status write_meta(Database& database, std::string_view name, std::int64_t value);

}  // namespace berth
