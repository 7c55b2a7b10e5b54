// Suggestion: what a person may have meant by a word that names nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::cli {

// "; did you mean 'submit'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace berth::cli
