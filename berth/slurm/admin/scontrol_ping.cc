#include "berth/slurm/admin/scontrol_ping.h"

#include <ostream>

namespace berth::slurm {
namespace {

int ping_as_json(const CallResult<api::Ping>& answer, const Invocation& call, Notation notation,
                 Streams& streams) {
    SlurmJson out(streams.out, notation);
    out.begin();
    out.begin_list("pings");
    out.begin();
    out.put("hostname", answer ? answer->host : "");
    out.put("pinged", answer ? "UP" : "DOWN");
    out.put("responding", static_cast<bool>(answer));
    out.put("mode", "primary");
    out.put("primary", true);
    out.end();
    out.end_list();
    out.finish(call, answer ? answer->cluster : "");
    return answer ? 0 : 1;
}

}  // namespace

int ping_controller(Client& client, const Invocation& call, std::optional<Notation> notation,
                    Streams& streams) {
    const auto answer = client.ping();
    if (notation) return ping_as_json(answer, call, *notation, streams);
    streams.out << "Slurmctld(primary) at " << (answer ? answer->host : "(null)") << " is "
                << (answer ? "UP" : "DOWN") << '\n';
    return answer ? 0 : 1;
}

}  // namespace berth::slurm
