// nearest: what a person may have meant by a word that names nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

// The nearest of the names, if it is near enough to be meant: at most one letter in three is wrong,
// swapped, missing or too many. Of equals the one whose case is right, else the first.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace berth
