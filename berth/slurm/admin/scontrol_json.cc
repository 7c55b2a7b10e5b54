#include "berth/slurm/admin/scontrol_json.h"

#include <ostream>

#include "berth/slurm/json/json_rows.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

int fail(const JsonShow& show, const std::string& message) {
    show.streams.err << "scontrol: error: " << message << '\n';
    return 1;
}

template <class Rows, class Put>
int print_json(const JsonShow& show, const char* name, const CallResult<Rows>& rows,
               const Put& put) {
    if (!rows) return fail(show, slurm_message(rows.problem()));
    const auto answer = show.client.ping();
    if (!answer) return fail(show, slurm_message(answer.problem()));
    SlurmJson out(show.streams.out, show.notation);
    out.begin();
    out.begin_list(name);
    for (const auto& row : *rows) {
        put(out, row, answer->cluster);
        out.flush();
    }
    out.end_list();
    out.put_time("last_update", show.now);
    out.finish(show.call, answer->cluster);
    return 0;
}

// All, or those of one name; a name that is nobody's is an error.
template <class Rows>
CallResult<Rows> named(CallResult<Rows> rows, const std::string& name, const char* otherwise) {
    if (!rows || name.empty()) return rows;
    std::erase_if(*rows, [&](const auto& row) { return row.name != name; });
    if (!rows->empty()) return rows;
    api::Problem problem;
    problem.slurm = otherwise;
    return problem;
}

template <class Put>
auto without_cluster(Put put) {
    return [put](SlurmJson& out, const auto& row, const std::string&) { put(out, row); };
}

}  // namespace

int show_as_json(const JsonShow& show, const std::string& what, const std::string& id) {
    Client& client = show.client;
    if (means(what, "jobs", 1))
        return print_json(show, "jobs", id.empty() ? client.jobs() : client.job(id), put_job);
    if (means(what, "nodes", 1)) {
        return print_json(show, "nodes", named(client.nodes(), id, "Invalid node name specified"),
                          put_node);
    }
    if (means(what, "partitions", 1)) {
        return print_json(show, "partitions",
                          named(client.partitions(), id, "Invalid partition name specified"),
                          put_partition);
    }
    if (means(what, "reservations", 3)) {
        return print_json(show, "reservations",
                          named(client.reservations(), id, "Requested reservation is invalid"),
                          without_cluster(put_reservation));
    }
    if (means(what, "licenses", 2)) {
        return print_json(show, "licenses",
                          named(client.licenses(), id, "Invalid license specification"),
                          without_cluster(put_license));
    }
    return fail(show, "scontrol --json (or --yaml) show " + what +
                          " is not supported; jobs, nodes, partitions, reservations and licenses "
                          "are");
}

}  // namespace berth::slurm
