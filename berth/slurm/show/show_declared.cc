// scontrol show licenses, and show reservations.
#include <algorithm>
#include <ostream>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/slurm/show/scontrol_show.h"
#include "berth/slurm/show/show_format.h"
#include "berth/slurm/text/columns.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {

int show_licenses(Client& client, const ShowOptions& options, const std::string& name,
                  Streams& streams) {
    const auto licenses = client.licenses();
    if (!licenses) {
        streams.err << "slurm_load_licenses error: " << slurm_message(licenses.problem()) << '\n';
        return 1;
    }
    if (licenses->empty()) streams.out << "No licenses configured in Slurm.\n";
    for (const api::LicenseRow& one : *licenses) {
        if (!name.empty() && one.name != name) continue;
        streams.out << "LicenseName=" << one.name << (options.one_line ? " " : "\n    ")
                    << "Total=" << one.total << " Used=" << one.used
                    << " Free=" << one.total - one.used << " Reserved=" << one.reserved
                    << " Remote=no\n";
    }
    return 0;
}

namespace {

std::string list_text(const std::vector<std::string>& items) { return or_null(join(items, ",")); }

void print_reservation(std::ostream& out, const api::ReservationRow& one, bool one_line) {
    ShowRecord record(out, one_line);
    record.put("ReservationName", one.name)
        .put("StartTime", local_time(one.start, ""))
        .put("EndTime", local_time(one.end, ""))
        .put("Duration", format_duration(one.end - one.start))
        .line();
    record.put("Nodes", nodes_text(one.nodes, "(null)"))
        .put("NodeCnt", std::to_string(one.nodes.size()))
        .put("CoreCnt", std::to_string(one.cores))
        .put("Features", or_null(one.features))
        .put("PartitionName", or_null(one.partition))
        .put("Flags", one.flags)
        .line();
    record.put("TRES", or_null(one.tres)).line();
    record.put("Users", list_text(one.users))
        .put("Groups", list_text(one.groups))
        .put("Accounts", list_text(one.accounts))
        .put("Licenses", "(null)")
        .put("State", one.state)
        .put("BurstBuffer", "(null)")
        .line();
    record.put("MaxStartDelay", "(null)");
    if (!one.qos.empty()) record.line().put("QOS", join(one.qos, ","));
    if (!one.comment.empty()) record.line().put("Comment", one.comment);
    record.end();
}

}  // namespace

int show_reservations(Client& client, const ShowOptions& options, const std::string& name,
                      Streams& streams) {
    const auto all = client.reservations();
    if (!all) {
        streams.err << "slurm_load_reservations error: " << slurm_message(all.problem()) << '\n';
        return 1;
    }
    bool printed = false;
    for (const api::ReservationRow& one : *all) {
        if (!name.empty() && one.name != name) continue;
        print_reservation(streams.out, one, options.one_line);
        printed = true;
    }
    if (printed) return 0;
    if (name.empty()) return streams.out << "No reservations in the system\n", 0;
    return streams.out << "Reservation " << name << " not found\n", 1;
}

int print_reservations(Client& client, bool header, Streams& streams) {
    const auto all = client.reservations();
    if (!all) {
        streams.err << "slurm_load_reservations error: " << slurm_message(all.problem()) << '\n';
        return 1;
    }
    if (all->empty()) return streams.out << "No reservations in the system\n", 0;
    std::size_t width = 9;
    for (const api::ReservationRow& one : *all) width = std::max(width, one.name.size());
    const auto line = [&](std::string_view name, std::string_view state, std::string_view start,
                          std::string_view end, std::string_view length, std::string_view nodes) {
        streams.out << cell(name, width, false, false) << "  " << cell(state, 8, true, false)
                    << "  " << cell(start, 19, true, false) << "  " << cell(end, 19, true, false)
                    << "  " << cell(length, 11, true, false) << "  " << nodes << '\n';
    };
    if (header) line("RESV_NAME", "STATE", "START_TIME", "END_TIME", "DURATION", "NODELIST");
    for (const api::ReservationRow& one : *all) {
        line(one.name, one.state, local_time(one.start, ""), local_time(one.end, ""),
             format_duration_short(one.end - one.start), nodes_text(one.nodes, ""));
    }
    return 0;
}

}  // namespace berth::slurm
