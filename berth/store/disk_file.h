// What the store asks of the file system beyond SQLite.
#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth {

// What errno says of this path.
Error file_error(const std::string& path);

// The names of new files are durable only once their directory is.
Status sync_directory(const std::string& directory);

}  // namespace berth
