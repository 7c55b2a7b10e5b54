#include "berth/server/service/visible_rows.h"

#include <algorithm>

#include "berth/server/auth/privacy.h"
#include "berth/server/views/association_rows.h"
#include "berth/server/views/declared_rows.h"
#include "berth/server/views/queue_rows.h"
#include "berth/server/views/share_rows.h"

namespace berth {

Result<JobFilter> visible_jobs(const Snapshot& snapshot, const Principal& who,
                               const api::JobQuery& query) {
    BERTH_TRY(JobFilter filter, JobFilter::make(snapshot, query, who.role >= Role::op));
    if (Privacy(*snapshot.spec, who).hides(PrivateKind::jobs)) filter.keep_to(snapshot, who.uid);
    return filter;
}

// With PrivateData=accounts users see no accounts, with =users of the users only themselves.
std::vector<api::AssociationRow> visible_associations(const Snapshot& snapshot,
                                                      const Principal& who) {
    std::vector<api::AssociationRow> rows = association_rows(*snapshot.spec);
    const Privacy privacy(*snapshot.spec, who);
    std::erase_if(rows, [&](const api::AssociationRow& row) {
        if (row.user.empty()) return privacy.hides(PrivateKind::accounts);
        return row.user != who.user && privacy.hides(PrivateKind::users);
    });
    return rows;
}

std::vector<api::ReservationRow> visible_reservations(const Snapshot& snapshot,
                                                      const Principal& who) {
    std::vector<api::ReservationRow> rows = reservation_rows(snapshot);
    const Privacy privacy(*snapshot.spec, who);
    std::erase_if(rows, [&](const api::ReservationRow& row) {
        const auto& all = *snapshot.reservations;
        const auto found = std::ranges::find(all, row.name, &Reservation::name);
        return found == all.end() || !privacy.shows(*found);
    });
    return rows;
}

// With PrivateData=usage users see their own shares and usage alone.
std::vector<api::ShareRow> visible_shares(const Snapshot& snapshot, const Principal& who,
                                          Time now) {
    std::vector<api::ShareRow> rows = share_rows(snapshot, now);
    if (Privacy(*snapshot.spec, who).hides(PrivateKind::usage))
        std::erase_if(rows, [&](const api::ShareRow& row) { return row.user != who.user; });
    return rows;
}

// With PrivateData=accounts users see no queues, with =usage those alone that they are in.
std::vector<api::QueueRow> visible_queues(const Snapshot& snapshot, const Principal& who) {
    const ClusterSpec& spec = *snapshot.spec;
    const Privacy privacy(spec, who);
    std::vector<api::QueueRow> rows = queue_rows(snapshot);
    std::erase_if(rows, [&](const api::QueueRow& row) {
        if (privacy.hides(PrivateKind::accounts)) return true;
        return privacy.hides(PrivateKind::usage) &&
               std::ranges::none_of(spec.associations, [&](const AssociationSpec& one) {
                   return one.account == row.name && one.user == who.user;
               });
    });
    return rows;
}

}  // namespace berth
