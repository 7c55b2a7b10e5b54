// Printable: users' texts (names, comments, paths) as terminals and line-wise readers can take
// them. A control character would move the cursor, and a line end make one record two.
#pragma once

#include <string>
#include <string_view>

namespace berth::slurm {

// Line ends as \\n and \\r, tabs as \\t, other control characters (those of UTF-8's C1 too) as
// \\x1b; and so is `also`, if it is not 0: what separates the fields of a record.
std::string printable(std::string text, char also = 0);

}  // namespace berth::slurm
