#include "berth/slurm/options/option_values.h"

#include <algorithm>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth::slurm {

Error invalid_number(const char* value, const char* option_name) {
    return invalid_argument(std::string("Invalid numeric value \"") + value + "\" for --" +
                            option_name + ".");
}

Result<std::vector<std::string>> preferred_features(const std::string& text) {
    if (text.find_first_of("|[]*()!") != std::string::npos) {
        return Error{
            ErrorCode::failed_precondition,
            "--prefer=" + text + " is not supported: it takes features with & between them"};
    }
    std::string list = text;
    std::ranges::replace(list, '&', ',');
    std::vector<std::string> names;
    if (list.empty()) return names;
    for (const std::string_view name : split(list, ',')) {
        if (trim(name).empty()) return invalid_argument("Invalid --prefer specification");
        names.emplace_back(trim(name));
    }
    return names;
}

}  // namespace berth::slurm
