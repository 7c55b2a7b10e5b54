// Files that hold secrets: theirs alone who run this process, and refused where they are not.
#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

// not_found: there is none. permission_denied: others may read or write it, or own it.
Result<std::string> read_secret_file(const std::string& path);

// On the disk, with mode 0600, whole or not at all, when it returns.
Status write_secret_file(const std::string& path, std::string_view text);
// The same for what everyone may read (0644).
Status write_public_file(const std::string& path, std::string_view text);

// With mode 0700 where it was not there.
Status make_secret_folder(const std::string& path);

}  // namespace berth
