#include "berth/engine/plan/license_book.h"

#include <algorithm>

namespace berth {
void LicenseBook::rebuild(const std::vector<LicenseSpec>& licenses) {
    free_.clear();
    for (const LicenseSpec& one : licenses) {
        free_.try_emplace(one.name, CountTimeline(one.total));
    }
}

void LicenseBook::book(Time start, Time end, const std::vector<LicenseCount>& counts) {
    for (const LicenseCount& one : counts) {
        const auto known = free_.find(one.name);
        if (known != free_.end()) known->second.book(start, end, one.count);
    }
}

void LicenseBook::give_back(Time start, Time end, const std::vector<LicenseCount>& counts) {
    for (const LicenseCount& one : counts) {
        const auto known = free_.find(one.name);
        if (known != free_.end()) known->second.give_back(start, end, one.count);
    }
}

std::optional<Time> LicenseBook::first_free(const std::vector<LicenseCount>& counts, Time earliest,
                                            Time latest, Duration length) const {
    Time at = earliest;
    for (bool moved = true; moved;) {
        moved = false;
        for (const LicenseCount& one : counts) {
            if (one.count == 0) continue;
            const auto known = free_.find(one.name);
            if (known == free_.end()) return std::nullopt;
            const Time next = known->second.first_free(one.count, at, length);
            if (next > latest || next == kNever) return std::nullopt;
            moved = moved || next > at;
            at = next;
        }
    }
    return at <= latest ? std::optional(at) : std::nullopt;
}

bool LicenseBook::goes_below_zero(const std::vector<LicenseCount>& counts, Time start,
                                  Time end) const {
    return std::ranges::any_of(counts, [&](const LicenseCount& one) {
        const auto known = free_.find(one.name);
        return one.count > 0 && (known == free_.end() || known->second.goes_below_zero(start, end));
    });
}

std::int64_t LicenseBook::free_at(const std::string& name, Time at) const {
    const auto known = free_.find(name);
    return known == free_.end() ? 0 : known->second.free_at(at);
}

std::vector<std::vector<LicenseCount>> choices_of(const LicenseRequest& request) {
    if (!request.any) return {request.counts};
    std::vector<std::vector<LicenseCount>> choices;
    choices.reserve(request.counts.size());
    for (const LicenseCount& one : request.counts) choices.push_back({one});
    return choices;
}

}  // namespace berth
