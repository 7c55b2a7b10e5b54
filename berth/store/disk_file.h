// File system operations that the store needs besides SQLite.
#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth {

// The error that errno describes, for this path.
Error file_error(const std::string& path);

// The names of new files are durable only after their directory is synced.
Status sync_directory(const std::string& directory);

}  // namespace berth
