// Printable: users' texts (names, comments, paths) as terminals and line-wise readers can take
// them. A control character would move the cursor, and a line end make one record two.
#pragma once

#include <string>
#include <string_view>

namespace berth::slurm {

// Line ends as \\n and \\r, tabs as \\t, other control characters (those of UTF-8's C1 too) as
// \\x1b. So is the first letter of `separator`, which separates the fields of a record, wherever
// the text would give a separator, by itself or with the one that follows it.
std::string printable(std::string text, std::string_view separator = {});

}  // namespace berth::slurm
