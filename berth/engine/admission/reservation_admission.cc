#include "berth/engine/admission/reservation_admission.h"

#include <algorithm>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/engine/admission/objection.h"
#include "berth/engine/admission/reservation_choice.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/engine/placement/features.h"
#include "berth/model/account_name.h"
#include "berth/model/limits.h"

namespace berth {
namespace {

constexpr std::size_t kReservationsMax = 10'000;
constexpr std::size_t kReservationNameMax = 255;
constexpr Duration kLateMax = std::chrono::minutes(1);  // "now" may be a moment ago.
constexpr Duration kReservationLengthMax = std::chrono::hours(24 * 366);

Objection set_times(Reservation& made, const ReservationChange& change, Time now, bool is_new) {
    if (change.start) {
        if (*change.start < now - kLateMax) {
            return refuse(Refusal::invalid_time, "the reservation would begin in the past");
        }
        const Duration length = made.end - made.start;
        made.start = std::max(*change.start, now);
        if (!is_new) made.end = made.start + length;
    }
    if (change.duration) {
        if (*change.duration > kReservationLengthMax || *change.duration < Duration::zero()) {
            return refuse(Refusal::invalid_time,
                          "a reservation lasts at most a year; make it again later");
        }
        made.end = made.start + *change.duration;
    }
    if (change.end) made.end = *change.end;
    if (made.end <= made.start || made.end - made.start > kReservationLengthMax) {
        return refuse(Refusal::invalid_time, "it should end after its start, within a year");
    }
    if (made.repeat != Repeat::never && next_start(made, made.start) < made.end) {
        return refuse(Refusal::invalid_time, "it would last longer than until its next start");
    }
    return std::nullopt;
}

void change_list(std::vector<std::string>& list,
                 const std::optional<std::vector<std::string>>& given,
                 const std::vector<std::string>& added, const std::vector<std::string>& removed) {
    if (given) list = *given;
    for (const std::string& one : added) {
        if (std::ranges::find(list, one) == list.end()) list.push_back(one);
    }
    std::erase_if(list, [&](const std::string& one) {
        return std::ranges::find(removed, one) != removed.end();
    });
}

Objection set_people(Reservation& made, const ReservationChange& change, const ClusterSpec& spec) {
    change_list(made.users, change.users, change.users_added, change.users_removed);
    change_list(made.accounts, change.accounts, change.accounts_added, change.accounts_removed);
    if (change.groups) made.groups = *change.groups;
    if (change.qos) made.qos = *change.qos;
    if (made.users.empty() && made.groups.empty() && made.accounts.empty() && made.qos.empty()) {
        return refuse(Refusal::invalid_request,
                      "a reservation is for somebody: give users, groups or accounts");
    }
    for (std::string& name : made.accounts) {
        name = denied_or_allowed_account(spec, name);
        const std::string_view bare = std::string_view(name).substr(name.starts_with('-') ? 1 : 0);
        const bool known = std::ranges::any_of(
            spec.accounts, [&](const AccountSpec& one) { return one.name == bare; });
        if (!known) {
            return refuse(Refusal::unknown_account,
                          "there is no account '" + std::string(bare) + "'");
        }
    }
    for (const auto* list : {&made.users, &made.accounts}) {
        const auto denies = [](const std::string& one) { return one.starts_with('-'); };
        if (!std::ranges::all_of(*list, denies) && std::ranges::any_of(*list, denies)) {
            return refuse(Refusal::invalid_request,
                          "a list names those who may, or with - those who may not, not both");
        }
    }
    return std::nullopt;
}

Objection set_flags(Reservation& made, const ReservationChange& change) {
    for (const auto& [names, on] :
         {std::pair(&change.flags_added, true), std::pair(&change.flags_removed, false)}) {
        for (const std::string& name : *names) {
            if (const Status set = set_flag(made, name, on); !set.ok()) {
                return refuse(set.error().code == ErrorCode::failed_precondition
                                  ? Refusal::not_supported
                                  : Refusal::invalid_request,
                              set.error().message);
            }
        }
    }
    return std::nullopt;
}

// Reads one of "gres/gpu=4", "gres/gpu:a100=4", "node=2", "cpu=16".
Objection read_amount(const ReservationChange& change, const ClusterSpec& spec,
                      ReservedAmount& amount) {
    if (change.node_count) amount.nodes = *change.node_count;
    if (change.core_count) amount.cores = *change.core_count;
    if (!change.tres) return std::nullopt;
    const auto counts = parse_tres_counts(*change.tres);
    if (!counts || counts->size() != 1 || counts->front().second <= 0) {
        return refuse(Refusal::invalid_request,
                      "TRES=" + *change.tres + " should be one of gres/gpu=N, node=N and cpu=N");
    }
    const auto& [tres, count] = counts->front();
    if (tres == "node") {
        amount.nodes = static_cast<std::uint32_t>(std::min<std::int64_t>(count, UINT32_MAX));
    } else if (tres == "cpu") {
        amount.cores = count;
    } else if (tres == "gres/gpu" || tres.starts_with("gres/gpu:")) {
        amount.gpus = count;
        if (tres.size() > 9) amount.gpu_type = tres.substr(9);
        const bool known =
            amount.gpu_type.empty() || spec.dimensions.find("gpu", amount.gpu_type).has_value();
        if (!known || !spec.dimensions.knows_name("gpu")) {
            return refuse(Refusal::unknown_gres, "no node has " + tres);
        }
    } else {
        return refuse(Refusal::not_supported, "a reservation of " + tres + " is not supported yet");
    }
    return std::nullopt;
}

// The nodes that the reservation may take: those of its partition, named, with its features.
std::variant<BitSet, Refusing> candidates_of(const ClusterSpec& spec, Reservation& made,
                                             const ReservationChange& change) {
    BitSet nodes(spec.nodes.size());
    const bool all = change.nodes && iequals(*change.nodes, "ALL");
    if (change.nodes && !all) {
        const auto names = expand_hostlist(*change.nodes);
        if (!names.ok()) return refuse(Refusal::unknown_node, names.error().message);
        for (const std::string& name : *names) {
            const auto node = spec.find_node(name);
            if (!node || spec.node(*node).gone) {
                return refuse(Refusal::unknown_node, "there is no node '" + name + "'");
            }
            nodes.set(node->index());
        }
        return nodes;
    }
    std::optional<PartitionId> partition;
    if (!made.partition.empty()) {
        partition = spec.find_partition(made.partition);
        if (!partition) {
            return refuse(Refusal::unknown_partition,
                          "there is no partition '" + made.partition + "'");
        }
    } else if (!all) {
        partition = spec.default_partition();
        if (partition) made.partition = spec.partition(*partition).name;
    }
    for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
        if (!partition && !spec.nodes[n].gone) nodes.set(n);
    }
    if (partition) {
        for (const NodeId node : spec.partition(*partition).nodes) nodes.set(node.index());
    }
    if (made.features.empty()) return nodes;
    const auto features = FeatureExpression::parse(made.features);
    if (!features.ok()) return refuse(Refusal::invalid_feature, features.error().message);
    for (std::size_t n = 0; n < spec.nodes.size(); ++n) {
        if (!features->matches(spec.nodes[n].features, 0)) nodes.reset(n);
    }
    return nodes;
}

// Takes named whole nodes as they are. No job may still run there when the reservation begins.
Objection reserve_whole(const Engine& engine, Reservation& made, const BitSet& nodes) {
    const ClusterState& state = engine.state();
    made.amounts.clear();
    for (std::size_t n = nodes.find_first(); n != BitSet::kNone; n = nodes.find_next(n)) {
        const NodeId node = NodeId::from_index(n);
        made.amounts.emplace_back(node, state.spec().node(node).capacity);
        if (made.ignore_jobs || made.maint) continue;
        for (const JobId id : state.index().on_node(node)) {
            const PlannedReservation* run = engine.derived().book.find(id);
            if (run == nullptr || run->end <= made.start || run->rarely->reservation == made.name)
                continue;
            return refuse(Refusal::nodes_busy,
                          "job " + to_string(id) + " runs on " + state.spec().node(node).name +
                              " beyond the start: begin later, or give the flag IGNORE_JOBS");
        }
    }
    return std::nullopt;
}

Objection set_nodes(const Engine& engine, Time now, Reservation& made,
                    const ReservationChange& change, bool times_changed) {
    ReservedAmount amount;
    if (auto no = read_amount(change, engine.state().spec(), amount)) return no;
    const bool counted = amount.nodes > 0 || amount.gpus > 0 || amount.cores > 0;
    const bool named = change.nodes.has_value();
    if (!counted && !named) {
        if (made.amounts.empty()) {
            return refuse(Refusal::invalid_request,
                          "say which nodes: Nodes=, NodeCnt=, CoreCnt= or TRES=");
        }
        if (!times_changed || !made.whole_nodes) return std::nullopt;
        BitSet same(engine.state().spec().nodes.size());
        for (const auto& [node, held] : made.amounts) same.set(node.index());
        return reserve_whole(engine, made, same);
    }
    auto candidates = candidates_of(engine.state().spec(), made, change);
    if (auto* no = std::get_if<Refusing>(&candidates)) return std::move(*no);
    BitSet& nodes = std::get<BitSet>(candidates);
    made.listed_nodes = named && !counted;
    made.all_nodes = named && !counted && iequals(*change.nodes, "ALL");
    made.whole_nodes = amount.gpus == 0 && amount.cores == 0;
    if (!counted) return reserve_whole(engine, made, nodes);
    auto chosen = choose_amounts(engine, now, made, amount, std::move(nodes));
    if (!chosen) {
        return refuse(Refusal::node_configuration_unavailable,
                      "not so much of the nodes is free of jobs and of other reservations for "
                      "all of that time");
    }
    made.amounts = *std::move(chosen);
    return std::nullopt;
}

Objection check_overlap(const ClusterState& state, const Reservation& made) {
    if (made.maint || made.overlap) return std::nullopt;
    for (const auto& [name, other] : state.reservations()) {
        if (name == made.name || other.maint || other.overlap) continue;
        if (overlap(state.spec(), made, other)) {
            return refuse(Refusal::reservation_overlap,
                          "reservation " + name + " has some of these nodes at that time");
        }
    }
    return std::nullopt;
}

std::string name_for(const ClusterState& state, const Reservation& made) {
    std::string base = !made.users.empty()      ? made.users.front()
                       : !made.accounts.empty() ? made.accounts.front()
                       : !made.groups.empty()   ? made.groups.front()
                                                : "resv";
    if (base.starts_with('-')) base.erase(0, 1);
    for (std::uint32_t i = 1;; ++i) {
        const std::string name = base + "_" + std::to_string(i);
        if (state.reservations().find(name) == nullptr) return name;
    }
}

std::variant<Reservation, Refusing> work_in(const Engine& engine, Time now, Reservation made,
                                            const ReservationChange& change, bool is_new) {
    const ClusterSpec& spec = engine.state().spec();
    if (change.partition) made.partition = *change.partition;
    if (change.features) made.features = *change.features;
    if (change.comment) made.comment = *change.comment;
    if (is_new) made.utc_offset = change.utc_offset;
    Objection no = set_flags(made, change);
    if (!no) no = set_times(made, change, now, is_new);
    if (!no) no = set_people(made, change, spec);
    if (!no && made.name.empty()) made.name = name_for(engine.state(), made);
    const bool moved = is_new || change.start || change.end || change.duration;
    if (!no) no = set_nodes(engine, now, made, change, moved);
    if (!no) no = check_overlap(engine.state(), made);
    if (no) return *std::move(no);
    return made;
}

}  // namespace

std::variant<Reservation, Refusing> admit_reservation(const Engine& engine, Time now,
                                                      std::string_view name,
                                                      const ReservationChange& change) {
    if (engine.state().reservations().find(name) != nullptr) {
        return refuse(Refusal::reservation_name_taken,
                      "there is a reservation '" + std::string(name) + "' already");
    }
    if (name.size() > kReservationNameMax ||
        name.find_first_of(" ,\n/") != std::string_view::npos) {
        return refuse(Refusal::invalid_request,
                      "a reservation's name has no blanks, commas or slashes, and at most 255 "
                      "letters");
    }
    if (engine.state().reservations().size() >= kReservationsMax) {
        return refuse(Refusal::invalid_request, "there are too many reservations: delete some");
    }
    if (!change.start) return refuse(Refusal::invalid_time, "a start time must be given");
    return work_in(engine, now, {.name = std::string(name)}, change, true);
}

std::variant<Reservation, Refusing> admit_reservation_change(const Engine& engine, Time now,
                                                             std::string_view name,
                                                             const ReservationChange& change) {
    const Reservation* known = engine.state().reservations().find(name);
    if (known == nullptr) {
        return refuse(Refusal::unknown_reservation,
                      "there is no reservation '" + std::string(name) + "'");
    }
    if (change.start && known->start <= now && known->end > now && *change.start != known->start) {
        return refuse(Refusal::invalid_time,
                      "the reservation has begun: only its end can be moved");
    }
    return work_in(engine, now, *known, change, false);
}

std::optional<Refusing> object_to_deletion(const Engine& engine, std::string_view name) {
    if (engine.state().reservations().find(name) == nullptr) {
        return refuse(Refusal::unknown_reservation,
                      "there is no reservation '" + std::string(name) + "'");
    }
    if (engine.derived().book.is_used(name)) {
        return refuse(Refusal::reservation_in_use,
                      "jobs run in reservation " + std::string(name) + ": end them first");
    }
    return std::nullopt;
}

}  // namespace berth
