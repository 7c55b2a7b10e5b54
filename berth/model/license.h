// License: what a site owns a number of and jobs borrow, wherever they run: seats of a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/fields.h"

namespace berth {

struct LicenseSpec {
    std::string name;
    std::int64_t total = 0;

    BERTH_FIELDS(LicenseSpec, name, total)
};

// "matlab:2"
struct LicenseCount {
    std::string name;
    std::int64_t count = 1;

    BERTH_FIELDS(LicenseCount, name, count)
};

// "matlab:2,ansys:1" asks for all of them, "matlab:2|ansys:1" for one of them.
struct LicenseRequest {
    std::vector<LicenseCount> counts;
    bool any = false;

    BERTH_FIELDS(LicenseRequest, counts, any)
};

// nullopt: no list of licenses. Each name stands once. A name without a count asks for one.
std::optional<LicenseRequest> parse_licenses(std::string_view text);
std::string to_text(const LicenseRequest& request);  // "matlab:2,ansys:1"

}  // namespace berth
