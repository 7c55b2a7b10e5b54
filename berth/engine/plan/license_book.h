// LicenseBook: how many of each license are free over time, after running jobs and planned starts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/engine/plan/count_timeline.h"
#include "berth/model/cluster_spec.h"

namespace berth {

class LicenseBook {
public:
    void rebuild(const std::vector<LicenseSpec>& licenses);

    // Books or gives back licenses. Licenses that the cluster does not (or no longer) have are
    // ignored.
    void book(Time start, Time end, const std::vector<LicenseCount>& counts);
    void give_back(Time start, Time end, const std::vector<LicenseCount>& counts);

    // The first start within the window at which all of them are free for `length`.
    std::optional<Time> first_free(const std::vector<LicenseCount>& counts, Time earliest,
                                   Time latest, Duration length) const;
    bool goes_below_zero(const std::vector<LicenseCount>& counts, Time start, Time end) const;
    std::int64_t free_at(const std::string& name, Time at) const;  // 0 if there is no such license.

private:
    std::map<std::string, CountTimeline, std::less<>> free_;
};

// What each alternative of the request takes: "a|b" has two alternatives, other requests one.
std::vector<std::vector<LicenseCount>> choices_of(const LicenseRequest& request);

}  // namespace berth
