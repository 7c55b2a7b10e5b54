#include "berth/server/views/declared_rows.h"

#include <algorithm>
#include <map>

#include "berth/server/views/tres.h"

namespace berth {

std::vector<api::LicenseRow> license_rows(const Edition& edition) {
    std::map<std::string, std::int64_t> used;
    edition.jobs.for_each([&](std::uint32_t, const PublishedJob& published) {
        if (!published.job->allocation) return;
        for (const LicenseCount& one : published.job->allocation->licenses) {
            used[one.name] += one.count;
        }
    });
    std::vector<api::LicenseRow> rows;
    for (const LicenseSpec& one : edition.spec->licenses) {
        rows.push_back({.name = one.name, .total = one.total, .used = used[one.name]});
    }
    return rows;
}

std::vector<api::ReservationRow> reservation_rows(const Edition& edition) {
    const ClusterSpec& spec = *edition.spec;
    std::vector<api::ReservationRow> rows;
    for (const Reservation& one : *edition.reservations) {
        api::ReservationRow row{.name = one.name, .start = one.start, .end = one.end};
        row.state = one.start <= edition.now && one.end > edition.now ? "ACTIVE" : "INACTIVE";
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
