// ArgumentText: lists, keywords and numbers in the arguments of several commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth::slurm {

// "key=value" of a word. One without '=' is a value, and its key is empty.
struct KeyAndValue {
    std::string key, value;
};
KeyAndValue key_and_value(const std::string& word);

// The names of "ann, bob", without the blanks around them.
std::vector<std::string> names_listed(std::string_view list);

// Appends the names of "ann, bob", without the blanks around them.
void add_names(std::string_view list, std::vector<std::string>& names);

// As in Slurm, a keyword may be cut short after its first `least` letters, in any case.
bool means(std::string_view word, std::string_view keyword, std::size_t least);

// A whole number from `least` to `most`; the error names the key.
Result<std::int64_t> whole_number(const std::string& key, std::string_view value,
                                  std::int64_t least, std::int64_t most);

}  // namespace berth::slurm
