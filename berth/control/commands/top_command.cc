// scontrol top: moves some jobs of a user before that user's other jobs, by their nice values.
#include <algorithm>

#include "berth/control/commands/commands.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

constexpr std::int64_t kNiceMost = 2'147'483'645;
constexpr std::size_t kTopMax = 1000;

bool is_fellow(const Job& a, const Job& b) {
    return a.owner->uid == b.owner->uid && a.partition == b.partition && a.qos == b.qos &&
           a.spec.account == b.spec.account;
}

// One scontrol top: the jobs on top, in the order asked for, and those that they pass.
class Top {
public:
    Top(TurnBuilder& builder, const Principal& principal)
        : builder_(builder), principal_(principal) {}

    std::optional<Refused> add(const JobRef& ref) {
        auto found = find_single(builder_.state(), ref);
        if (auto* refusing = std::get_if<Refusing>(&found)) return refused(std::move(*refusing));
        const Job& job = *builder_.state().find_job(std::get<JobTarget>(found).job);
        const ClusterSpec& spec = builder_.state().spec();
        if (auto no = forbidden(spec, principal_, Verb::top_job, job)) return no;
        if (auto no = object_to(job)) return no;
        if (std::ranges::find(top_, job.id) == top_.end()) top_.push_back(job.id);
        return std::nullopt;
    }

    // The others together lose as much as those on top gain, so other users' jobs are not passed by
    // more.
    std::optional<Refused> carry_out() {
        find_others();
        std::int64_t floor = highest_of_others();
        std::int64_t gained = 0;
        std::vector<std::pair<JobId, std::int64_t>> nices;
        for (auto id = top_.rbegin(); id != top_.rend(); ++id) {
            const std::int64_t has = current_priority(builder_.state(), *id);
            const std::int64_t gain = std::max<std::int64_t>(0, floor + 1 - least_of(*id));
            floor = has + gain;
            gained += gain;
            nices.emplace_back(*id, job(*id).spec.nice - gain);
        }
        const auto count = static_cast<std::int64_t>(others_.size());
        const std::int64_t each = count == 0 ? 0 : (gained + count - 1) / count;
        for (const JobId id : others_) nices.emplace_back(id, job(id).spec.nice + each);
        for (const auto& [id, nice] : nices) {
            if (nice >= -kNiceMost && nice <= kNiceMost) continue;
            return refused(Refusal::invalid_request,
                           "The nice value of job " + to_string(id) + " would become " +
                               std::to_string(nice) + "; it goes from -2147483645 to 2147483645",
                           id);
        }
        for (const auto& [id, nice] : nices) {
            if (nice == job(id).spec.nice) continue;
            JobUpdated fact{.job = id};
            fact.nice = nice;
            fact.by_operator = principal_.role >= Role::op;
            builder_.record(fact);
        }
        return std::nullopt;
    }

private:
    const Job& job(JobId id) const { return *builder_.state().find_job(id); }

    // A priority of 1 may be a lower one that was cut off. The true value is then at least that of
    // the nice value alone.
    std::int64_t least_of(JobId id) const {
        const std::int64_t has = current_priority(builder_.state(), id);
        return has > 1 ? has : std::min<std::int64_t>(has, -job(id).spec.nice);
    }

    std::optional<Refused> object_to(const Job& one) const {
        const std::string name = "Job " + to_string(one.id);
        if (one.state != JobState::pending) {
            return refused(Refusal::job_not_pending, name + " is " + std::string(words(one.state)),
                           one.id);
        }
        if (one.hold != Hold::none) {
            return refused(Refusal::job_held, name + " is held: release it first", one.id);
        }
        if (one.spec.priority) {
            return refused(Refusal::invalid_request,
                           name + " has a priority set by hand, which no nice value changes",
                           one.id);
        }
        if (!top_.empty() && !is_fellow(one, job(top_.front()))) {
            return refused(Refusal::invalid_request,
                           name + " is not of the same user, partition, account and QOS as job " +
                               to_string(top_.front()),
                           one.id);
        }
        return std::nullopt;
    }

    void find_others() {
        const Job& first = job(top_.front());
        for (const JobId id : builder_.state().index().pending()) {
            const Job& one = job(id);
            const bool on_top = std::ranges::find(top_, id) != top_.end();
            if (on_top || one.hold != Hold::none || one.spec.priority || !is_fellow(one, first)) {
                continue;
            }
            others_.push_back(id);
        }
    }

    std::int64_t highest_of_others() const {
        std::int64_t highest = 1;  // The priority of jobs that no cycle has prioritised yet.
        for (const JobId id : others_)
            highest = std::max(highest, current_priority(builder_.state(), id));
        return highest;
    }

    TurnBuilder& builder_;
    const Principal& principal_;
    std::vector<JobId> top_, others_;
};

}  // namespace

Answer top(TurnBuilder& builder, const Principal& principal, const TopJobs& command) {
    if (principal.role < Role::op && !builder.scheduling().user_top) {
        return refused(
            Refusal::not_allowed,
            "Users order their jobs where SchedulerParameters=enable_user_top lets them");
    }
    if (command.jobs.empty() || command.jobs.size() > kTopMax) {
        return refused(Refusal::invalid_request,
                       "Name 1 to " + std::to_string(kTopMax) + " jobs that are to be first");
    }
    Top ordering(builder, principal);
    for (const JobRef& ref : command.jobs) {
        if (auto no = ordering.add(ref)) return *no;
    }
    if (auto no = ordering.carry_out()) return *no;
    return Done{};
}

}  // namespace berth
