#include "berth/testing/scenario.h"

#include <algorithm>
#include <sstream>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/engine/admission/admission.h"
#include "berth/engine/explain/explain.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/model/flavor_of.h"
#include "berth/model/limit_keys.h"
#include "berth/model/queue_options.h"
#include "berth/testing/scenario_submit.h"

namespace berth::testing {
namespace {

constexpr std::uint32_t kBudget = 100'000;

std::string clock(Time at) { return format_duration_short(at.time_since_epoch()); }

class Scenario {
public:
    Scenario() { spec_.qos.push_back({.name = "normal"}); }

    std::string run(const std::string& line) {
        const ScenarioWords words(line);
        const std::string output = dispatch(words);
        const std::string unused = words.unused();
        return unused.empty() ? output : output + "error: no such option:" + unused + "\n";
    }

private:
    std::string dispatch(const ScenarioWords& words) {
        const std::string& verb = words.verb;
        if (verb == "node") return add_nodes(words);
        if (verb == "partition") return add_partition(words);
        if (verb == "qos") return add_qos(words);
        if (verb == "rule") return add_rule(words);
        if (verb == "set") return change_settings(words);
        if (verb == "preempt") return set_preemption(words);
        if (verb == "license") return add_license(words);
        if (verb == "account" || verb == "member") return add_account(words);
        if (verb == "flavor") return add_flavor(words);
        if (verb == "queue") return set_queue(words);
        prepare();
        if (verb == "submit") return submit_job(words);
        if (verb == "step") return step(words);
        if (verb == "why") return why(words);
        if (verb == "finish") return finish_job(words);
        if (verb == "frozen") return prove_frozen(words);
        if (verb == "checkpoint") return see_checkpoint(words);
        if (verb == "requeue") return requeue_job(words);
        if (verb == "reserve" || verb == "unreserve") return reserve(words);
        if (verb == "cancel" || verb == "hold" || verb == "release" || verb == "update") {
            return change_job(words);
        }
        return change_node(words);
    }

    // ---- The cluster. It is installed, again if need be, before the first line that needs it.

    std::string add_nodes(const ScenarioWords& words) {
        const NodeOptions options = read_node(words);
        const std::vector<std::string> names = expand_hostlist(words.plain.front()).value();
        for (const std::string& name : names) {
            spec_.nodes.push_back(make_node(spec_.dimensions, name, options));
        }
        return changed_spec();
    }

    std::string add_partition(const ScenarioWords& words) {
        PartitionSpec partition = read_partition(words, spec_);
        const auto known =
            std::ranges::find(spec_.partitions, partition.name, &PartitionSpec::name);
        if (known != spec_.partitions.end()) {
            *known = std::move(partition);
        } else {
            spec_.partitions.push_back(std::move(partition));
        }
        return changed_spec();
    }

    std::string add_qos(const ScenarioWords& words) {
        QosSpec qos{.name = words.plain.front(),
                    .priority = words.number("priority").value_or(0),
                    .max_wall = words.duration("max_wall")};
        qos.deny_on_limit = words.has("deny_on_limit");
        qos.over_partition_qos = words.has("over_partition_qos");
        set_limits(words, kOfQos, qos.limits);
        qos.preempt = words.list("preempts");
        qos.preempt_mode = read_preempt_mode(words);
        qos.preempt_within = words.has("within");
        qos.grace_time = std::chrono::seconds(words.number("grace").value_or(0));
        qos.preempt_exempt = words.duration("exempt");
        spec_.qos.push_back(std::move(qos));
        return changed_spec();
    }

    // "account physics parent=science shares=3 grp_tres=cpu=8", "member ada physics max_jobs=1".
    std::string add_account(const ScenarioWords& words) {
        if (words.verb == "member") {
            AssociationSpec one{.account = words.plain.at(1), .user = words.plain.at(0)};
            set_limits(words, kOfAssociation, one.limits);
            spec_.associations.push_back(std::move(one));
        } else {
            AccountSpec one{.name = words.plain.front(),
                            .parent = words.text("parent").value_or("root"),
                            .shares = words.number("shares").value_or(1)};
            set_limits(words, kOfAssociation, one.limits);
            spec_.accounts.push_back(std::move(one));
        }
        return changed_spec();
    }

    // "flavor fat nodes=node[1-2] features=ib type=a100"
    std::string add_flavor(const ScenarioWords& words) {
        FlavorSpec flavor{.name = words.plain.front(), .gpu_type = words.text("type").value_or("")};
        if (const auto nodes = words.text("nodes")) flavor.nodes = *expand_hostlist(*nodes);
        if (const auto feature = words.text("features")) flavor.features = {*feature};
        spec_.flavors.push_back(std::move(flavor));
        return changed_spec();
    }

    // "queue physics nominal=gres/gpu=8 guarantee=gres/gpu=2": the quota of an account, set anew.
    std::string set_queue(const ScenarioWords& words) {
        QueueSpec queue{.name = words.plain.front()};
        for (const auto& [option, value] : words.rest()) {
            const Status set = set_queue_option(queue, option, value);
            if (!set.ok()) return set.error().message;
        }
        std::erase_if(spec_.queues, [&](const QueueSpec& one) { return one.name == queue.name; });
        spec_.queues.push_back(std::move(queue));
        spec_.scheduling.enforce_limits = true;
        return changed_spec();
    }

    void set_limits(const ScenarioWords& words, unsigned of, Limits& limits) {
        for (const LimitKey& key : limit_keys()) {
            if ((key.of & of) == 0 || key.yaml == "max_wall") continue;
            const auto value = words.text(std::string(key.yaml));
            if (!value) continue;
            BERTH_ASSERT(set_limit(limits, key, *value).ok());
            spec_.scheduling.enforce_limits = true;
        }
        if (const auto wall = words.duration("max_wall"); wall && of == kOfAssociation) {
            limits.max_wall = wall;
            spec_.scheduling.enforce_limits = true;
        }
    }

    std::string add_license(const ScenarioWords& words) {
        const std::string& name = words.plain.front();
        std::erase_if(spec_.licenses, [&](const LicenseSpec& one) { return one.name == name; });
        spec_.licenses.push_back({.name = name, .total = words.number("total").value_or(1)});
        return changed_spec();
    }

    std::string reserve(const ScenarioWords& words) {
        if (words.verb == "unreserve") {
            engine_.apply(now_, ReservationDeleted{words.plain.front()});
        } else {
            engine_.apply(now_, ReservationSet{read_reservation(words, spec_, now_)});
        }
        return "";
    }

    std::string add_rule(const ScenarioWords& words) {
        RuleSpec rule{.kind = words.plain.at(0), .name = words.plain.at(1)};
        for (const auto& [name, value] : words.rest()) {
            if (name == "weight") {
                rule.weight = std::stoll(value);
            } else {
                rule.settings.emplace_back(name, std::stoll(value));
            }
        }
        spec_.scheduling.rules.push_back(std::move(rule));
        const auto built = build_policy(spec_);
        return changed_spec() + (built.ok() ? "" : "error: " + built.error().message + "\n");
    }

    std::string change_settings(const ScenarioWords& words) {
        SchedulingSpec& scheduling = spec_.scheduling;
        if (const auto wait = words.number("kill_wait")) {
            scheduling.kill_wait = std::chrono::seconds(*wait);
        }
        if (const auto depth = words.number("depth")) {
            scheduling.plan_depth = static_cast<std::uint32_t>(*depth);
        }
        if (const auto backfill = words.text("backfill")) scheduling.backfill = *backfill == "yes";
        if (const auto kill = words.text("kill_invalid_depend"))
            scheduling.kill_invalid_depend = *kill == "yes";
        read_planning(words, scheduling.planning);
        return changed_spec();
    }

    std::string set_preemption(const ScenarioWords& words) {
        PreemptionSpec& preemption = spec_.scheduling.preemption;
        preemption = {};
        preemption.by = words.has("qos")        ? PreemptBy::qos
                        : words.has("priority") ? PreemptBy::priority
                        : words.has("none")     ? PreemptBy::none
                                                : PreemptBy::partition;
        if (const auto reclaim = words.text("reclaim"))
            preemption.reclaim = parse_preempt_mode(*reclaim)->mode;
        if (preemption.by == PreemptBy::priority) preemption.victims = VictimOrder::cheapest;
        if (words.has("cheapest_of_all")) preemption.victims = VictimOrder::cheapest_of_all;
        preemption.min_difference = words.number("min_difference").value_or(1);
        preemption.victims_max =
            static_cast<std::uint32_t>(words.number("victims_max").value_or(0));
        preemption.unless_within = words.duration("unless_within").value_or(Duration{});
        preemption.mode = read_preempt_mode(words).value_or(PreemptMode::off);
        preemption.within = words.has("within");
        preemption.gang = words.has("gang");
        preemption.preempts_newer = words.has("always");
        preemption.youngest_first = words.has("youngest_first");
        preemption.reclaims_licenses = words.has("reclaim_licenses");
        preemption.exempt = words.duration("exempt");
        preemption.exempt_priority = words.number("exempt_priority");
        return changed_spec();
    }

    std::string changed_spec() {
        installed_ = false;
        return "";
    }

    void prepare() {
        if (installed_) return;
        installed_ = true;
        if (spec_.partitions.empty()) add_partition(ScenarioWords("partition main default"));
        installed_ = true;
        if (engine_.state().epoch() == Epoch(0)) engine_.apply(now_, ControllerStarted{Epoch(1)});
        engine_.apply(now_, SpecInstalled{spec_});
        for (std::size_t n = 0; n < spec_.nodes.size(); ++n) {
            const NodeId node = NodeId::from_index(n);
            if (!engine_.state().nodes().condition(node).registered)
                register_node(engine_, now_, node);
        }
    }

    // ---- Jobs.

    std::string submit_job(const ScenarioWords& words) {
        JobSpec spec = read_submission(words, now_);
        const std::string user = words.text("user").value_or("ann");
        const auto uid = static_cast<std::uint32_t>(1000 + user.front());
        const Principal who{
            .uid = uid, .gid = uid, .user = user, .group = user, .role = Role::admin};
        auto admitted = admit(engine_.state(), now_, who, spec);
        if (const auto* no = std::get_if<Refusing>(&admitted)) {
            std::string text = "refused: ";
            for (const std::string& line : no->details) text += line + ": ";
            return text + std::string(slurm_text(no->why)) + ": " + no->message + "\n";
        }
        const Job& job = *std::get_if<Job>(&admitted);
        engine_.apply(now_, JobSubmitted{job});
        return "job " + to_string(job.id) + "\n";
    }

    static JobId job_of(const ScenarioWords& words) {
        return JobId(static_cast<std::uint32_t>(std::stoul(words.plain.front())));
    }

    std::string change_job(const ScenarioWords& words) {
        const JobId job = job_of(words);
        if (words.verb == "cancel") {
            if (engine_.state().find_job(job)->state == JobState::pending) {
                engine_.apply(now_, JobCancelled{.job = job});
            } else {
                engine_.apply(now_, EndJob{.job = job, .outcome = JobState::cancelled});
            }
        } else if (words.verb == "hold") {
            engine_.apply(now_, JobHeld{job, Hold::user});
        } else if (words.verb == "release") {
            engine_.apply(now_, JobHeld{job, Hold::none});
        } else {
            JobUpdated update{.job = job, .time_limit = words.duration("t"), .by_operator = true};
            if (const auto priority = words.number("priority")) {
                update.priority = static_cast<std::uint32_t>(*priority);
            }
            update.nice = words.number("nice");
            engine_.apply(now_, update);
        }
        return "";
    }

    // To the end of its run, and back into the queue.
    std::string requeue_job(const ScenarioWords& words) {
        const JobId job = job_of(words);
        engine_.apply(now_, EndJob{.job = job, .outcome = JobState::pending, .reason = "requeued"});
        return finish_job(words);
    }

    std::string finish_job(const ScenarioWords& words) {
        const auto code = static_cast<std::int16_t>(words.number("exit").value_or(0));
        const Job* job = engine_.state().find_job(job_of(words));
        if (job == nullptr || !job->allocation) return "error: it does not run\n";
        finish(engine_, now_, job_of(words), {.code = code});
        return "";
    }

    // All nodes of the run say that nothing of it runs.
    std::string prove_frozen(const ScenarioWords& words) {
        const Job* job = engine_.state().find_job(job_of(words));
        if (job == nullptr || !job->is_suspended()) return "error: it is not suspended\n";
        engine_.apply(now_, JobFrozen{job->id, job->attempt, job->suspension->changes});
        return "";
    }

    // The run has saved one.
    std::string see_checkpoint(const ScenarioWords& words) {
        const Job* job = engine_.state().find_job(job_of(words));
        if (job == nullptr || job->state != JobState::running) return "error: it does not run\n";
        engine_.apply(now_, CheckpointSeen{job->id, job->attempt});
        return "";
    }

    // ---- Nodes.

    std::string change_node(const ScenarioWords& words) {
        if (words.plain.empty() || !spec_.find_node(words.plain.front())) {
            return "error: no such command, or no such node\n";
        }
        const NodeId node = *spec_.find_node(words.plain.front());
        if (words.verb == "lose") {
            engine_.apply(now_, NodeNotResponding{node});
        } else if (words.verb == "return") {
            register_node(engine_, now_, node);
        } else if (words.verb == "drain" || words.verb == "undrain") {
            engine_.apply(
                now_,
                NodeUpdated{.node = node, .drained = words.verb == "drain", .reason = "test"});
        } else if (words.verb == "drain-devices" || words.verb == "undrain-devices") {
            DevicesDrained fact{.node = node, .reason = "test"};
            fact.drained = words.verb == "drain-devices";
            fact.devices = static_cast<DeviceMask>(words.number("mask").value_or(0));
            engine_.apply(now_, fact);
        } else if (words.verb == "reboot") {
            register_node(engine_, now_, node, "boot-" + clock(now_));
            for (const JobId job : engine_.state().index().on_node(node)) {
                const Attempt attempt = engine_.state().find_job(job)->attempt;
                engine_.apply(
                    now_, AttemptEnded{.job = job, .attempt = attempt, .node = node, .lost = true});
            }
        } else {
            return "error: no such command\n";
        }
        return "";
    }

    // ---- What comes of it.

    std::string step(const ScenarioWords& words) {
        now_ += words.duration("after").value_or(Duration{});
        std::string text = "at " + clock(now_) + "\n";
        const Cycle cycle = engine_.cycle(now_, kBudget);
        for (const Fact& decision : cycle.decisions) {
            text += std::visit([&](const auto& kind) { return describe(kind); }, decision);
        }
        text += describe_waiting();
        engine_.state().check_invariants();
        if (const auto wrong = check_plan(engine_.state(), now_)) text += "WRONG: " + *wrong + "\n";
        return text;
    }

    std::string name_of(NodeId node) const { return engine_.state().spec().node(node).name; }

    std::string describe(const StartJob& start) const {
        std::string text = "start " + to_string(start.job);
        if (start.array_task) {
            text += "_" + std::to_string(*start.array_task) + " as " + to_string(*start.task_job);
        }
        for (const NodeShare& share : start.allocation.shares) {
            text += " on " + name_of(share.node) + " tasks=" + std::to_string(share.tasks) +
                    " cores=" + share.cores.to_list();
            if (share.devices != 0) text += " devices=" + mask_to_list(share.devices);
            if (share.device_share) {
                const ShareKind& part = share.device_share->part;
                text += " " + engine_.state().spec().dimensions.at(part.dimension).name + "=" +
                        std::to_string(part.parts);
            }
        }
        if (start.time_limit) text += " for " + clock(Time(*start.time_limit));
        if (start.in_turns) text += " in turns";
        return text + "\n";
    }
    std::string describe(const EndJob& end) const {
        return "end " + to_string(end.job) + " " + end.reason + "\n";
    }
    static std::string describe(const JobsPreempted& fact) {
        std::string text = "preempt";
        for (const auto& victim : fact.victims)
            text += " " + to_string(victim.job) + " by " + clock(victim.ends_at);
        return text + " for " + to_string(fact.preemptor) + "\n";
    }
    static std::string describe(const JobSuspended& fact) {
        return (fact.in_force ? "suspend " : "resume ") + to_string(fact.job) + "\n";
    }
    std::string describe(const JobMoved& moved) const {
        return "move " + to_string(moved.job) + " to " +
               engine_.state().spec().partition(moved.partition).name +
               flavor_text(engine_.state().spec(), moved.flavor) + "\n";
    }
    std::string describe(const JobCancelled& cancelled) const {
        return "cancel " + to_string(cancelled.job) + " " + cancelled.reason + "\n";
    }
    std::string describe(const DeadlineMissed& missed) const {
        return "deadline " + to_string(missed.job) + "\n";
    }
    std::string describe(const ReservationSet& set) const {
        return "reservation " + set.reservation.name + " next at " + clock(set.reservation.start) +
               "\n";
    }
    std::string describe(const ReservationDeleted& gone) const {
        return "reservation " + gone.name + " is over\n";
    }
    std::string describe(const DependencyFailed& failed) const {
        return "never " + to_string(failed.job) + "\n";
    }
    std::string describe(const auto&) const { return ""; }  // Plans stand with those who wait.

    std::string describe_waiting() const {
        std::string text;
        const ClusterState& state = engine_.state();
        for (const JobId id : state.index().pending()) {
            text += "wait " + to_string(id);
            const Job& job = *state.find_job(id);
            if (job.spec.array) text += "_[" + std::to_string(job.spec.array->tasks.size()) + "]";
            text += " " + std::string(slurm_name(state.schedule().reason(id)));
            if (!state.schedule().reason_detail(id).empty())
                text += ", " + std::string(state.schedule().reason_detail(id));
            if (const PlannedStart* planned = state.schedule().planned(id)) {
                text += " planned " + clock(planned->start) + " on";
                std::vector<std::string> names;
                for (const auto& [node, amount] : planned->amounts) names.push_back(name_of(node));
                text += " " + compress_hostlist(std::move(names));
            }
            text += "\n";
        }
        return text.empty() ? "nobody waits\n" : text;
    }

    std::string why(const ScenarioWords& words) {
        const Explanation explanation = explain(engine_, now_, job_of(words));
        std::string text = std::string(slurm_name(explanation.reason)) + ", " +
                           std::to_string(explanation.ahead) + " ahead";
        if (explanation.ahead_gpu_minutes > 0) {
            text += " (" + std::to_string(explanation.ahead_gpu_minutes) + " GPU-minutes)";
        }
        if (explanation.ahead_endless > 0) {
            text += " (" + std::to_string(explanation.ahead_endless) + " without end)";
        }
        text += "\n";
        for (const Blocker& blocker : explanation.blockers) {
            text += blocker.level + ": " + blocker.text + "\n";
        }
        if (explanation.planned_start) {
            text += "planned " + clock(*explanation.planned_start) + " on " +
                    compress_hostlist(explanation.planned_nodes) +
                    (explanation.waits_for.empty() ? "" : ", after");
            for (const JobId job : explanation.waits_for) text += " " + to_string(job);
            text += explanation.tentative ? ", tentative\n" : "\n";
        }
        for (const auto& [term, points] : explanation.priority) {
            text += term + " " + std::to_string(points) + "\n";
        }
        for (const std::string& advice : explanation.advice) text += advice + "\n";
        return text;
    }

    ClusterSpec spec_;
    bool installed_ = false;
    Time now_{};
    Engine engine_;
};

}  // namespace

std::string run_scenario(const std::string& text) {
    Scenario scenario;
    std::istringstream lines(text);
    std::string output;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  ")) continue;  // What we expected: written anew below.
        output += line + "\n";
        if (line.empty() || line.starts_with("#")) continue;
        std::istringstream results(scenario.run(line));
        for (std::string result; std::getline(results, result);) output += "  " + result + "\n";
    }
    return output;
}

}  // namespace berth::testing
