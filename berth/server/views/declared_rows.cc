#include "berth/server/views/declared_rows.h"

#include <algorithm>
#include <map>

#include "berth/server/views/tres_text.h"

namespace berth {

std::vector<api::LicenseRow> license_rows(const Snapshot& snapshot) {
    std::map<std::string, std::int64_t> used;
    snapshot.jobs.for_each([&](std::uint32_t, const SnapshotJob& read_model) {
        if (!read_model.job->allocation) return;
        for (const LicenseCount& one : read_model.job->allocation->licenses) {
            used[one.name] += one.count;
        }
    });
    std::vector<api::LicenseRow> rows;
    for (const LicenseSpec& one : snapshot.spec->licenses) {
        rows.push_back({.name = one.name, .total = one.total, .used = used[one.name]});
    }
    return rows;
}

std::vector<api::ReservationRow> reservation_rows(const Snapshot& snapshot) {
    const ClusterSpec& spec = *snapshot.spec;
    std::vector<api::ReservationRow> rows;
    for (const Reservation& one : *snapshot.reservations) {
        api::ReservationRow row{.name = one.name, .start = one.start, .end = one.end};
        row.state = one.start <= snapshot.now && one.end > snapshot.now ? "ACTIVE" : "INACTIVE";
        Tres tres{.billing = false};
        for (const auto& [id, amount] : one.amounts) {
            const NodeSpec& node = spec.node(id);
            row.nodes.push_back(node.name);
            row.cores += amount.cpu().count() / 1000 / std::max(1U, node.threads_per_core);
            tres.cpus += amount.cpu().count() / 1000;
            if (!one.whole_nodes) tres.gres += amount;  // As Slurm: of whole nodes the CPUs alone.
        }
        row.tres = tres_text(spec, tres, TresOrder::slurm);
        row.flags = flags_text(one);
        row.users = one.users;
        row.groups = one.groups;
        row.accounts = one.accounts;
        row.qos = one.qos;
        row.partition = one.partition;
        row.features = one.features;
        row.comment = one.comment;
        row.maint = one.maint;
        row.whole_nodes = one.whole_nodes;
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace berth
