// Whole files, read and written: kernel files, durable files, folders that go.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

// "cannot open /x: No such file or directory", with the code that fits the errno.
Error system_error(std::string_view what, int number);

// All of a file, unless it is larger than `limit`.
Result<std::string> read_file(const std::string& path, std::size_t limit = std::size_t{1} << 20);

// Until its end, unless more than `limit` comes. `what` names it in errors.
Result<std::string> read_to_end(int fd, const std::string& what,
                                std::size_t limit = std::size_t{1} << 20);

// One write(2) into a file that is there: how the kernel's files want it.
Status write_kernel_file(const std::string& path, std::string_view text);

// All of it, however often write(2) must be called.
Status write_all(int fd, std::string_view bytes);

// A file of this content, whole or not at all, on disk when it returns: written beside, synced,
// renamed, and the folder synced.
Status write_durably(const std::string& path, std::string_view bytes, mode_t mode = 0600);
// The same without the syncs: whole or not at all, but a power cut may take it.
Status write_atomically(const std::string& path, std::string_view bytes, mode_t mode = 0600);

Status sync_folder(const std::string& path);

// Makes the folder, and those above it for everyone to pass. What is there already is left as it
// is.
Status make_folders(const std::string& path, mode_t mode = 0755);

// The first folder on the way to `path`, itself included, that other users may not pass.
std::optional<std::string> closed_to_others(const std::string& path);

// Removes a folder with all in it, following no link. It is fine if it is not there.
Status remove_tree(const std::string& path);

}  // namespace berth
