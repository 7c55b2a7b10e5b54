// DecisionHash: a fingerprint of the controller's decisions: which attempt of which job starts
// when, on which nodes, devices and cores; which start is planned; where a job of several
// partitions stands; and when a job must end.
//
// Each decision is one line of text, made of named fields of named facts only, and the fingerprint
// covers these lines. So a field or fact added to the journal changes no golden hash; only a
// different decision does. Two runs that differ can be compared line by line.
#pragma once

#include <string>
#include <vector>

#include "berth/base/hash.h"
#include "berth/model/event.h"

namespace berth::sim {

class DecisionHash {
public:
    // REQUIRES: facts come in journal order, each with the time of its record.
    void take(Time now, const Fact& fact);

    std::uint64_t value() const { return hash_.value(); }
    std::uint64_t decisions() const { return lines_.size(); }
    const std::vector<std::string>& lines() const { return lines_; }
    // Two hexadecimal digits for each decision, from the fingerprint up to it. Two trails part
    // where the first decision differs (in 1 of 256 cases, one decision later).
    const std::string& trail() const { return trail_; }

private:
    void add(Time now, JobId job, const std::string& what);
    void plan(Time now, JobId job, const std::optional<PlannedStart>& planned);

    StateHash hash_;
    std::vector<std::string> lines_;
    std::string trail_;
};

}  // namespace berth::sim
