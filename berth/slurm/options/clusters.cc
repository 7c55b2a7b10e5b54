#include "berth/slurm/options/clusters.h"

#include "berth/base/text.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {

Result<std::string> cluster_meant(Client& client, const std::string& names,
                                  const std::string& program) {
    const auto answer = client.ping();
    if (!answer) return Error{ErrorCode::unavailable, slurm_message(answer.problem())};
    for (const auto word : split(names, ',')) {
        const std::string_view name = trim(word);
        if (iequals(name, "all") || iequals(name, answer->cluster)) continue;
        const std::string shown = "'" + std::string(name) + "'";
        return Error{ErrorCode::not_found,
                     ("No cluster " + shown + " known by database.\n").append(program) +
                         (": error: " + shown) +
                         " can't be reached now, or it is an invalid entry for --cluster.  Use "
                         "'sacctmgr list clusters' to see available clusters."};
    }
    return answer->cluster;
}

std::optional<std::string> other_cluster(Client& client, const std::string& names,
                                         const std::string& program) {
    if (names.empty()) return std::nullopt;
    const auto meant = cluster_meant(client, names, program);
    return meant.ok() ? std::nullopt : std::optional(meant.error().message);
}

}  // namespace berth::slurm
