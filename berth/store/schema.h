// The tables of the state file, and the schema versions that this program knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/store/sqlite.h"

namespace berth {

inline constexpr std::int64_t kSchemaVersion = 4;
inline constexpr std::int64_t kOldestSchemaVersion = 2;  // The oldest version that can be migrated.
inline constexpr const char* kStateFile = "berth.db";    // In the state directory.

// Creates missing tables, and migrates an older version to ours; a copy of the old file stays
// beside it ("berth.db.version-2"). Rejects a file that is not ours or of a newer version. Sets the
// connection up so that COMMIT returns only once its data is durable.
Status prepare_schema(Database& database, const std::string& path);

// The tables that came later without another version. For a file that is known to be whole: nothing
// is written before.
Status add_later_tables(Database& database);

// For readers: creates nothing, and rejects a file without tables or with those of an older
// version.
Status check_schema(Database& database, const std::string& path);

// The version of the file. Rejects a file that is not ours, too new or too old.
Result<std::int64_t> known_version(Database& database, const std::string& path);
// Migrates to our version, in one transaction; keeps no copy.
Status migrate(Database& database, const std::string& path);

// The metadata table: integers by name. "epoch" always exists. A file restored from a copy also has
// kRestoredNextJob: the first id that was certainly not issued before.
inline constexpr std::string_view kRestoredNextJob = "restored_next_job";
// 1: there is a tail file beside the state file (tail.h). If that is missing, it was lost.
inline constexpr std::string_view kHasTail = "has_tail";
// Spans that ended before were deleted (retention.h); in milliseconds.
inline constexpr std::string_view kSpansKeptSince = "spans_kept_since";
Result<std::int64_t> read_meta(Database& database, std::string_view name,
                               std::optional<std::int64_t> otherwise = std::nullopt);
Status write_meta(Database& database, std::string_view name, std::int64_t value);

}  // namespace berth
