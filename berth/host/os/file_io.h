// Whole-file I/O: kernel files, durable files, removal of folders.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

// "cannot open /x: No such file or directory", with the error code that fits the errno.
Error system_error(std::string_view what, int number);

// The whole file. An error if it is larger than `limit`.
Result<std::string> read_file(const std::string& path, std::size_t limit = std::size_t{1} << 20);

// Reads until end of file. An error if more than `limit` bytes come. `what` names the source in
// errors.
Result<std::string> read_to_end(int fd, const std::string& what,
                                std::size_t limit = std::size_t{1} << 20);

// Writes an existing file with a single write(2), as the kernel's files require.
Status write_kernel_file(const std::string& path, std::string_view text);

// Writes everything, with as many write(2) calls as it takes.
Status write_all(int fd, std::string_view bytes);

// Replaces the file atomically and durably: writes a temporary file, syncs it, renames it, syncs
// the folder.
Status write_durably(const std::string& path, std::string_view bytes, mode_t mode = 0600);
// The same without the syncs: atomic, but a power failure may lose it.
Status write_atomically(const std::string& path, std::string_view bytes, mode_t mode = 0600);

Status sync_folder(const std::string& path);

// Creates the folder with `mode`, and missing folders above it so that everyone can pass. Existing
// folders are left as they are.
Status make_folders(const std::string& path, mode_t mode = 0755);

// The first folder on the path, including `path` itself, that other users cannot pass.
std::optional<std::string> closed_to_others(const std::string& path);

// Removes a folder and its content without following links. A missing folder is no error.
Status remove_tree(const std::string& path);

}  // namespace berth
