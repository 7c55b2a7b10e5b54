// Ownership: whether anyone but root and this process's user could change the files and folders
// that a daemon believes. Errors name the command that mends it.
#pragma once

#include <sys/types.h>

#include <string>

#include "berth/base/result.h"

namespace berth {

// A file or folder: root or our user owns it, and neither its group nor others may write to it.
// Follows links. What does not exist passes.
Status check_ownership(const std::string& path);

// For root, every folder and link on the way to `path`, and `path` itself: one that belongs to
// another user, or that others may replace, would let them choose what root reads or overwrites.
// Folders with the sticky bit pass. For other users nothing is checked. The part of the path that
// does not exist passes.
Status check_path(const std::string& path);

// Makes the folder with exactly this mode, and missing ones above it with 0755, whatever the umask;
// checks the way there and the ownership of the folder. A folder that exists keeps its mode.
Status make_owned_folder(const std::string& path, mode_t mode);

}  // namespace berth
