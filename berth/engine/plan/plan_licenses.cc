// The search for a start of a job that needs licenses besides nodes.
#include "berth/engine/plan/plan_search.h"

namespace berth {
namespace {

// Nodes and licenses must both be free for the whole run: alternates between the two searches until
// both give the same start.
std::optional<Found> find_with(const std::vector<LicenseCount>& licenses, const Demand& demand,
                               const Window& window, const PlanBook& book, const BitSet& usable,
                               const PlacementPreference& preference,
                               const ClassRequirements* requirements) {
    Window left = window;
    while (true) {
        const auto free =
            book.licenses().first_free(licenses, left.earliest, left.latest, left.length);
        if (!free) return std::nullopt;
        left.earliest = *free;
        auto found = find_on_nodes(demand, left, book, usable, preference, requirements);
        if (!found) return std::nullopt;
        if (book.licenses().first_free(licenses, found->start, found->start, left.length)) {
            found->licenses = licenses;
            return found;
        }
        left.earliest = found->start;
    }
}

}  // namespace

std::optional<Found> find_start(const Demand& demand, const Window& window, const PlanBook& book,
                                const BitSet& usable, const PlacementPreference& preference,
                                const ClassRequirements* requirements) {
    if (demand.licenses.counts.empty()) {
        return find_on_nodes(demand, window, book, usable, preference, requirements);
    }
    std::optional<Found> best;
    Window left = window;
    for (const std::vector<LicenseCount>& choice : choices_of(demand.licenses)) {
        auto found = find_with(choice, demand, left, book, usable, preference, requirements);
        if (!found) continue;
        best = std::move(found);
        if (best->start == window.earliest) break;
        left.latest = best->start - Duration(1);
    }
    return best;
}

}  // namespace berth
