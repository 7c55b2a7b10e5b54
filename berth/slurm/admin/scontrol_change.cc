#include "berth/slurm/admin/scontrol_change.h"

#include <algorithm>

namespace berth::slurm {

ChangeResult without_words(const CallResult<Done>& done) {
    if (!done) return done.problem();
    return api::ChangeReply{};
}

ChangeResult send_update(Client& client, const Update& change, const std::string& name) {
    if (change.node) return without_words(client.update_node(name, *change.node));
    api::JobPatch patch = change.job;
    if (change.time_limit_by == Duration::zero()) return client.update(name, patch);
    const auto jobs = client.job(name);  // "+10" is relative to what it is now.
    if (!jobs) return jobs.problem();
    const auto limit = jobs->front().time_limit;
    if (limit) {
        patch.time_limit = std::to_string(
            std::max<std::int64_t>(1, (*limit + change.time_limit_by).count() / 60'000));
    }
    return client.update(name, patch);
}

}  // namespace berth::slurm
