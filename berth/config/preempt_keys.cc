// PreemptType, PreemptMode, PreemptExemptTime and PreemptParameters of slurm.conf; and berth.yaml's
// `preemption`, which stands above them.
#include "berth/config/preempt_keys.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/base/yes_no.h"
#include "berth/config/scheduler_parameters.h"
#include "berth/model/oversubscribe.h"
#include "berth/model/qos_preemption.h"

namespace berth::config {
namespace {

constexpr std::int64_t kPriorityMax = 0xffff'ffff;

class PreemptReader {
public:
    explicit PreemptReader(Draft& draft) : draft_(draft), spec_(draft.spec.scheduling.preemption) {}

    void read() {
        conf_.file = draft_.slurm_conf;
        read_slurm_conf();
        for (const Pair& pair : draft_.yaml.preemption.pairs) read_yaml(pair);
        check();
        read_slice();
        check_partitions();
        check_sharing();
        check_qos();
        show();
    }

private:
    struct Place {
        const Line* line = nullptr;
        const Pair* pair = nullptr;
    };

    void read_slurm_conf() {
        if (const Pair* type = draft_.global("preempttype")) {
            const std::string word = to_lower(*type->value);
            if (!word.starts_with("preempt/") || !set_by(word.substr(8))) {
                draft_.error(conf_, *type,
                             "PreemptType=" + *type->value +
                                 " should be preempt/none, preempt/partition_prio or preempt/qos");
            }
            type_at_ = {&conf_, type};
        }
        if (const Pair* mode = draft_.global("preemptmode")) read_mode({&conf_, mode});
        if (const Pair* exempt = draft_.global("preemptexempttime")) read_exempt({&conf_, exempt});
        if (const Pair* parameters = draft_.global("preemptparameters")) {
            for (const auto text : split(*parameters->value, ','))
                if (!trim(text).empty()) read_parameter(*parameters, trim(text));
        }
    }

    bool set_by(std::string_view word) {
        if (word == "none") {
            spec_.by = PreemptBy::none;
        } else if (word == "partition_prio" || word == "partition") {
            spec_.by = PreemptBy::partition;
        } else if (word == "qos") {
            spec_.by = PreemptBy::qos;
        } else {
            return false;
        }
        return true;
    }

    // GANG alone, or beside a mode: jobs that share cores take turns. As Slurm wants it, it stands
    // beside SUSPEND.
    void read_mode(Place at) {
        mode_at_ = at;
        std::vector<std::string_view> rest;
        bool gang = false, suspends = false, saves = false;
        for (const auto part : split(*at.pair->value, ',')) {
            const std::string_view word = trim(part);
            suspends = suspends || iequals(word, "suspend");
            gang = gang || iequals(word, "gang");
            saves = saves || iequals(word, "checkpoint");
            if (!iequals(word, "gang")) rest.push_back(word);
        }
        spec_.mode = PreemptMode::off;
        spec_.within = false;
        if (saves && at.line == &conf_) {
            mode_is_wrong_ = true;
            return draft_.error(*at.line, *at.pair, checkpoint_in_yaml(*at.pair));
        }
        if (suspends && !gang && at.line == &conf_) {
            mode_is_wrong_ = true;
            return draft_.error(*at.line, *at.pair,
                                at.pair->key + "=" + *at.pair->value +
                                    " needs GANG beside it, as in Slurm: SUSPEND,GANG");
        }
        spec_.gang = gang;
        if (gang && rest.empty()) return;
        const auto modes = parse_preempt_mode(join(rest, ","));
        if (!modes.ok()) {
            mode_is_wrong_ = true;
            return draft_.error(*at.line, *at.pair, modes.error().message);
        }
        spec_.mode = modes->mode;
        spec_.within = modes->within;
    }

    void read_exempt(Place at) {
        const auto length = parse_time_limit(*at.pair->value);
        if (!length.ok()) {
            return draft_.error(*at.line, *at.pair,
                                at.pair->key + "=" + *at.pair->value +
                                    " should be a time like 10:00, or -1 for none");
        }
        spec_.exempt = *length;
        exempt_is_given_ = true;
    }

    void read_parameter(const Pair& pair, std::string_view text) {
        const std::size_t equals = text.find('=');
        const std::string name(trim(text.substr(0, equals)));
        const std::string value(equals == std::string_view::npos ? ""
                                                                 : trim(text.substr(equals + 1)));
        if (iequals(name, "min_exempt_priority")) {
            spec_.exempt_priority =
                number_or(draft_, conf_, {.key = name, .value = value, .line = pair.line}, 0,
                          kPriorityMax, 0);
        } else if (iequals(name, "reclaim_licenses")) {
            spec_.reclaims_licenses = true;
        } else if (const SchedulerParameter* known = find_scheduler_parameter("preempt_" + name)) {
            if (known->set != nullptr) return known->set(draft_.spec.scheduling, 0);
            draft_.warning(conf_, pair,
                           "PreemptParameters: " + std::string(text) +
                               " has no effect: " + std::string(known->why));
        } else if (iequals(name, "suspend_grace_time")) {
            draft_.warning(conf_, pair,
                           "PreemptParameters: " + std::string(text) +
                               " has no effect: a run is frozen at once, without a signal before");
        } else {
            draft_.error(conf_, pair,
                         "there is no option " + name +
                             " in PreemptParameters; there are youngest_first, send_user_signal, "
                             "min_exempt_priority, reclaim_licenses, reorder_count, strict_order");
        }
    }

    void read_yaml(const Pair& pair) {
        const Place at{&draft_.yaml.preemption, &pair};
        const std::string& value = *pair.value;
        if (pair.key == "by") {
            type_at_ = at;
            const bool by_priority = value == "priority";
            if (by_priority) spec_.by = PreemptBy::priority;
            if (!by_priority && !set_by(value)) wrong(pair, "none, partition, qos or priority");
        } else if (pair.key == "mode") {
            read_mode(at);
        } else if (pair.key == "within") {
            spec_.within = flag(pair);
            if (mode_at_.pair == nullptr) mode_at_ = at;
        } else if (pair.key == "exempt") {
            read_exempt(at);
        } else if (pair.key == "exempt_priority") {
            spec_.exempt_priority =
                number_or(draft_, draft_.yaml.preemption, pair, 0, kPriorityMax, 0);
        } else if (pair.key == "youngest_first") {
            spec_.youngest_first = flag(pair);
        } else if (pair.key == "user_signal") {
            spec_.user_signal = flag(pair);
        } else if (pair.key == "reclaim_licenses") {
            spec_.reclaims_licenses = flag(pair);
        } else if (pair.key == "reclaim") {
            read_reclaim(pair);
        } else if (pair.key == "hold_timeout") {
            read_length(pair, spec_.hold_timeout);
        } else if (pair.key == "unless_within") {
            read_length(pair, spec_.unless_within);
        } else if (pair.key == "min_difference") {
            spec_.min_difference =
                number_or(draft_, draft_.yaml.preemption, pair, 1, kPriorityMax, 1);
            difference_at_ = at;
        } else if (pair.key == "preemption_policy") {
            read_policy(pair);
        } else if (pair.key == "victims_max") {
            spec_.victims_max = static_cast<std::uint32_t>(
                number_or(draft_, draft_.yaml.preemption, pair, 1, 1'000'000, 1));
        } else if (pair.key == "victims") {
            read_victims(pair);
        } else {
            draft_.error(
                draft_.yaml.preemption, pair,
                "there is no option " + pair.key +
                    " here; there are by, mode, within, exempt, exempt_priority, "
                    "youngest_first, user_signal, reclaim_licenses, reclaim, hold_timeout, "
                    "min_difference, preemption_policy, victims, victims_max, unless_within");
        }
    }

    // How runs stop that use what their queue has borrowed.
    void read_reclaim(const Pair& pair) {
        const auto modes = parse_preempt_mode(*pair.value);
        const bool ends = modes.ok() && modes->mode != PreemptMode::suspend;
        if (!ends || modes->within) return wrong(pair, "off, cancel, requeue or checkpoint");
        spec_.reclaim = modes->mode;
    }

    // Of jobs whose priority class has no policy of its own.
    void read_policy(const Pair& pair) {
        policy_at_ = {&draft_.yaml.preemption, &pair};
        spec_.preempts_newer = iequals(*pair.value, "PreemptAlways");
        if (spec_.preempts_newer || iequals(*pair.value, "PreemptLowerPriority") ||
            iequals(*pair.value, "PreemptLower"))
            return;
        wrong(pair, "PreemptLowerPriority or PreemptAlways; by: none switches preemption off");
    }

    void read_length(const Pair& pair, Duration& into) {
        const auto length = parse_time_limit(*pair.value);
        if (!length.ok() || !*length || **length <= Duration{})
            return wrong(pair, "a length of time, like 5:00");
        into = **length;
    }

    void read_victims(const Pair& pair) {
        victims_are_given_ = true;
        if (*pair.value == "smallest") {
            spec_.victims = VictimOrder::smallest;
        } else if (*pair.value == "cheapest") {
            spec_.victims = VictimOrder::cheapest;
        } else if (*pair.value == "cheapest_of_all") {
            spec_.victims = VictimOrder::cheapest_of_all;
        } else {
            wrong(pair, "smallest, cheapest or cheapest_of_all");
        }
    }

    bool flag(const Pair& pair) {
        const auto yes = parse_yes_no(*pair.value);
        if (!yes) wrong(pair, "yes or no");
        return yes.value_or(false);
    }
    void wrong(const Pair& pair, const std::string& right) {
        draft_.error(draft_.yaml.preemption, pair,
                     pair.key + ": " + *pair.value + " should be " + right);
    }

    // Each by itself is right, but not together.
    void check() {
        if (spec_.by == PreemptBy::priority && !victims_are_given_)
            spec_.victims = VictimOrder::cheapest;
        if (difference_at_.pair != nullptr && spec_.by != PreemptBy::priority) {
            draft_.error(
                *difference_at_.line, *difference_at_.pair,
                "min_difference: " + *difference_at_.pair->value + " needs by: priority beside it");
        }
        check_policy();
        if (mode_is_wrong_) return;
        if (spec_.by != PreemptBy::none && spec_.mode == PreemptMode::off) {
            draft_.error(*type_at_.line, *type_at_.pair,
                         type_at_.pair->key + "=" + *type_at_.pair->value +
                             " needs PreemptMode=CANCEL, REQUEUE or SUSPEND,GANG beside it");
        } else if (spec_.by == PreemptBy::none && spec_.mode != PreemptMode::off) {
            draft_.error(*mode_at_.line, *mode_at_.pair,
                         mode_at_.pair->key + "=" + *mode_at_.pair->value +
                             " needs PreemptType=preempt/partition_prio or preempt/qos beside it");
        } else if (spec_.within && spec_.by != PreemptBy::qos) {
            draft_.error(*mode_at_.line, *mode_at_.pair,
                         mode_at_.pair->key + "=" + *mode_at_.pair->value +
                             ": WITHIN needs PreemptType=preempt/qos");
        }
    }

    void check_policy() {
        if (policy_at_.pair == nullptr) return;
        const std::string said = "preemption_policy: " + *policy_at_.pair->value;
        if (spec_.by != PreemptBy::priority) {
            draft_.error(*policy_at_.line, *policy_at_.pair,
                         said + " needs by: priority beside it");
        } else if (spec_.preempts_newer && spec_.min_difference > 1) {
            draft_.error(*policy_at_.line, *policy_at_.pair,
                         said + " and min_difference: " + std::to_string(spec_.min_difference) +
                             " contradict each other");
        }
    }

    void check_partitions() {
        const auto& partitions = draft_.spec.partitions;
        for (std::size_t i = 0; i < draft_.partition_nodes.size(); ++i) {
            const Line& line = draft_.partition_nodes[i].first;
            const Pair* const mode = line.find("PreemptMode");
            if (mode == nullptr || !partitions[i].preempt_mode ||
                *partitions[i].preempt_mode == PreemptMode::off)
                continue;
            const bool counts = spec_.by == PreemptBy::partition ||
                                spec_.by == PreemptBy::priority || spec_.reclaims();
            if (counts) continue;
            draft_.warning(line, *mode,
                           "PreemptMode=" + *mode->value + " of partition " + partitions[i].name +
                               " has no effect without PreemptType=preempt/partition_prio");
        }
        if (spec_.by != PreemptBy::partition || partitions.empty() || type_at_.pair == nullptr)
            return;
        const bool all_equal = std::ranges::all_of(partitions, [&](const PartitionSpec& one) {
            return one.priority_tier == partitions.front().priority_tier;
        });
        if (all_equal) {
            draft_.warning(*type_at_.line, *type_at_.pair,
                           type_at_.pair->key + "=" + *type_at_.pair->value +
                               " preempts nothing: all partitions have PriorityTier=" +
                               std::to_string(partitions.front().priority_tier));
        }
    }

    // As in Slurm, from 5 s on.
    void read_slice() {
        const Pair* const slice = draft_.global("schedulertimeslice");
        if (slice == nullptr) return;
        const auto seconds = parse_int64(*slice->value);
        if (!seconds.ok() || *seconds < 5 || *seconds > 65533) {
            return draft_.error(conf_, *slice,
                                "SchedulerTimeSlice=" + *slice->value +
                                    " should be a number of seconds from 5 to 65533");
        }
        draft_.spec.scheduling.time_slice = std::chrono::seconds(*seconds);
        if (spec_.gang) return;
        draft_.warning(conf_, *slice,
                       "SchedulerTimeSlice is the time slice of gang scheduling, not how often the "
                       "scheduler runs; it has no effect without PreemptMode=GANG");
    }

    // Turns need two jobs on a core, or a preemptor beside its victim.
    void check_sharing() {
        bool any = spec_.mode == PreemptMode::suspend;
        const auto& partitions = draft_.spec.partitions;
        for (std::size_t i = 0; i < draft_.partition_nodes.size(); ++i) {
            if (core_sharing_of(partitions[i].oversubscribe).jobs < 2) continue;
            any = true;
            if (spec_.gang && !spec_.enabled()) continue;
            const std::string why =
                spec_.gang ? ": runs that take turns there are not preempted meanwhile"
                           : " has no effect without PreemptMode=GANG: jobs on the same cores take "
                             "turns, and never run at the same time";
            const Line& line = draft_.partition_nodes[i].first;
            const Pair* pair = line.find("OverSubscribe");
            if (pair == nullptr) pair = line.find("Shared");
            const Pair of_default{
                .key = "OverSubscribe", .value = partitions[i].oversubscribe, .line = line.number};
            if (pair == nullptr) pair = &of_default;
            draft_.warning(
                line, *pair,
                pair->key + "=" + *pair->value + " of partition " + partitions[i].name + why);
        }
        for (const PartitionSpec& one : partitions)
            any = any || one.preempt_mode == PreemptMode::suspend;
        for (const QosSpec& one : draft_.spec.qos)
            any = any || one.preempt_mode == PreemptMode::suspend;
        if (!spec_.gang || any) return;
        draft_.warning(*mode_at_.line, *mode_at_.pair,
                       mode_at_.pair->key + "=" + *mode_at_.pair->value +
                           ": no jobs take turns unless a partition has OverSubscribe=FORCE:2 or "
                           "YES:2, or jobs are preempted by SUSPEND");
    }

    void check_qos() {
        const std::vector<QosSpec>& all = draft_.spec.qos;
        for (const QosSpec& one : all) {
            for (const std::string& name : one.preempt) {
                if (draft_.spec.find_qos(name)) continue;
                draft_.error(draft_.yaml.qos_preempts[one.name],
                             "QOS " + one.name + " preempts " + name + ", which is no QOS here");
            }
        }
        if (const auto loop = find_preemption_loop(all)) {
            draft_.error(draft_.yaml.qos_preempts[*loop],
                         "QOS " + *loop +
                             " would preempt itself: directly, or through those that it preempts");
        }
    }

    // As it is now, among the settings that `scontrol show config` lists.
    void show() {
        if (type_at_.pair != nullptr) {
            put("PreemptType", spec_.by == PreemptBy::none        ? "preempt/none"
                               : spec_.by == PreemptBy::partition ? "preempt/partition_prio"
                               : spec_.by == PreemptBy::qos       ? "preempt/qos"
                                                                  : "berth/priority");
        }
        if (mode_at_.pair != nullptr)
            put("PreemptMode", preempt_mode_text(spec_.mode, spec_.within, spec_.gang));
        if (exempt_is_given_)
            put("PreemptExemptTime", spec_.exempt ? format_duration(*spec_.exempt) : "NONE");
        std::vector<std::string> words;
        if (spec_.exempt_priority)
            words.push_back("min_exempt_priority=" + std::to_string(*spec_.exempt_priority));
        if (spec_.reclaims_licenses) words.emplace_back("reclaim_licenses");
        if (spec_.user_signal) words.emplace_back("send_user_signal");
        if (spec_.youngest_first) words.emplace_back("youngest_first");
        if (!words.empty()) put("PreemptParameters", join(words, ","));
    }
    void put(const std::string& key, std::string value) {
        Pair& pair = draft_.globals[to_lower(key)];
        pair.key = key;
        pair.value = std::move(value);
    }

    Draft& draft_;
    PreemptionSpec& spec_;
    Line conf_;
    Place type_at_, mode_at_, difference_at_, policy_at_;
    bool mode_is_wrong_ = false, exempt_is_given_ = false, victims_are_given_ = false;
};

std::size_t line_of(const YAML::Node& node) {
    return static_cast<std::size_t>(std::max(node.Mark().line, 0)) + 1;
}

// "a", or "[a, b]".
std::string words_of(const YAML::Node& node) {
    if (node.IsScalar()) return node.Scalar();
    std::vector<std::string> words;
    if (node.IsSequence()) {
        for (const auto& one : node) words.push_back(one.IsScalar() ? one.Scalar() : "");
    }
    return join(words, ",");
}

}  // namespace

void note_preemption(Draft& draft, const std::string& file, const YAML::Node& node) {
    draft.yaml.preemption = {.file = file, .number = line_of(node), .pairs = {}};
    if (!node.IsMap()) return draft.error(draft.yaml.preemption, "should be a map with by, mode");
    for (const auto& entry : node) {
        draft.yaml.preemption.pairs.push_back({.key = entry.first.as<std::string>(),
                                               .value = words_of(entry.second),
                                               .line = line_of(entry.first)});
    }
}

bool read_qos_preemption(Draft& draft, const std::string& file, const YAML::Node& key,
                         const YAML::Node& value, QosSpec& qos) {
    const std::string name = key.as<std::string>(), text = words_of(value);
    const Line line{.file = file, .number = line_of(value), .pairs = {}};
    Status read = Done{};
    if (name == "preempt") {
        qos.preempt.clear();
        for (const auto one : split(text, ','))
            if (!trim(one).empty()) qos.preempt.emplace_back(trim(one));
        draft.yaml.qos_preempts[qos.name] = line;
    } else if (name == "preempt_mode") {
        read = set_preempt_mode(qos, text);
    } else if (name == "grace_time") {
        read = set_grace_time(qos, text);
    } else if (name == "preempt_exempt") {
        read = set_preempt_exempt(qos, text);
    } else {
        return false;
    }
    if (!read.ok()) draft.error(line, read.error().message);
    return true;
}

void read_preempt_keys(Draft& draft) { PreemptReader(draft).read(); }

}  // namespace berth::config
