// Hostlists: many host names in few letters, "gpu[01-08,12],login1", as Slurm writes them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth {

inline constexpr std::size_t kHostsMax = 64 * 1024;  // Of one list; a slip such as [1-99999999].

// "gpu[08-10]-ib,login1" -> {"gpu08-ib", "gpu09-ib", "gpu10-ib", "login1"}. Several brackets in one
// name multiply. Order and repetitions stay as written; a blank text has no hosts.
Result<std::vector<std::string>> expand_hostlist(std::string_view text);

// {"gpu3", "gpu1", "gpu2", "gpu2"} -> "gpu[1-3]": in natural order, each name once.
std::string compress_hostlist(std::vector<std::string> names);

// The same for names whose order matters: {"gpu3", "gpu1", "gpu2"} -> "gpu[3,1-2]".
std::string compress_hostlist_in_order(std::span<const std::string> names);

// The natural order of names: gpu2 before gpu10.
bool host_before(std::string_view a, std::string_view b);

}  // namespace berth
