// ArgumentText: lists, keywords and numbers in the arguments of several commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth::slurm {

// Appends the names of "ann, bob", without the blanks around them.
void add_names(std::string_view list, std::vector<std::string>& names);

// As in Slurm, a keyword may be cut short after its first `least` letters, in any case.
bool means(std::string_view word, std::string_view keyword, std::size_t least);

// A whole number from `least` to `most`; the error names the key.
Result<std::int64_t> whole_number(const std::string& key, std::string_view value,
                                  std::int64_t least, std::int64_t most);

}  // namespace berth::slurm
