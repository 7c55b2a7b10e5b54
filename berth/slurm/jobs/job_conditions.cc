#include "berth/slurm/jobs/job_conditions.h"

#include <algorithm>

#include "berth/base/text.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

bool holds(const std::optional<std::string>& wanted, std::string_view has) {
    return !wanted || *wanted == has;
}

// A pending job may name several partitions.
bool is_among(const std::optional<std::string>& wanted, const std::string& list) {
    if (!wanted) return true;
    const auto names = split(list, ',');
    return std::ranges::find(names, *wanted) != names.end();
}

bool is_in_state(const std::string& wanted, const std::string& state) {
    if (wanted == "RUNNING") return state == "RUNNING" || state == "CONFIGURING";
    return wanted.empty() || wanted == state;
}

}  // namespace

Status JobConditions::set_user(const std::string& name_or_uid) {
    user = uid_of_user(name_or_uid);
    if (user) return Done{};
    return Error{ErrorCode::invalid_argument, "Invalid user name: " + name_or_uid};
}

Status JobConditions::set_state(const std::string& text) {
    state = state_from_text(text);
    if (state == "PENDING" || state == "RUNNING" || state == "SUSPENDED") return Done{};
    return Error{ErrorCode::invalid_argument,
                 "Invalid job state specified: " + text +
                     "\nValid job states are PENDING, RUNNING, and SUSPENDED"};
}

Status JobConditions::set_nodes(const std::string& text) {
    BERTH_TRY(nodes, expand_node_argument(text));
    if (!nodes.empty()) return Done{};
    // Without a name it would be no condition, and jobs on any node would end.
    return Error{ErrorCode::invalid_argument,
                 "--nodelist=" + text + " names no node: it should be a list, like gpu[1-3]"};
}

bool JobConditions::any() const {
    return account || name || partition || qos || reservation || wckey || user || !state.empty() ||
           !nodes.empty();
}

bool JobConditions::hold_for(const api::JobRow& job) const {
    const bool is_there = nodes.empty() || std::ranges::any_of(nodes, [&](const std::string& node) {
                              return std::ranges::find(job.nodes, node) != job.nodes.end();
                          });
    return is_there && (!user || *user == job.owner.uid) &&
           (!account || iequals(*account, job.account)) && holds(name, job.name) &&
           is_among(partition, job.partition) && holds(qos, job.qos) &&
           holds(reservation, job.request.reservation) && holds(wckey, job.command.wckey) &&
           is_in_state(state, job.state);
}

api::JobQuery JobConditions::query() const {
    api::JobQuery query{.nodes = nodes};
    query.states = {"PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "COMPLETING"};
    if (user) query.users = {std::to_string(*user)};
    if (name) query.names = {*name};
    if (state == "PENDING") query.states = {state};
    return query;
}

}  // namespace berth::slurm
