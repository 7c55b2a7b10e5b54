// LicenseBook: how many of each license are free over time, given what runs and what is promised.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/engine/plan/timeline.h"
#include "berth/model/cluster_spec.h"

namespace berth {

class LicenseBook {
public:
    void rebuild(const std::vector<LicenseSpec>& licenses);

    // What the cluster does not have (any more) is passed over.
    void book(Time start, Time end, const std::vector<LicenseCount>& counts);
    void give_back(Time start, Time end, const std::vector<LicenseCount>& counts);

    // The first start within the window from which all of them are free for so long.
    std::optional<Time> first_free(const std::vector<LicenseCount>& counts, Time earliest,
                                   Time latest, Duration length) const;
    bool goes_below_zero(const std::vector<LicenseCount>& counts, Time start, Time end) const;
    std::int64_t free_at(const std::string& name, Time at) const;  // 0 where there is none of it.

private:
    std::map<std::string, Timeline, std::less<>> free_;
};

// What each way of serving the request takes: of "a|b" there are two, else one.
std::vector<std::vector<LicenseCount>> choices_of(const LicenseRequest& request);

}  // namespace berth
