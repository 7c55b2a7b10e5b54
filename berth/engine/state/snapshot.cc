#include "berth/engine/state/snapshot.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "berth/base/codec.h"

namespace berth {
namespace {

constexpr std::uint32_t kSnapshotFormat = 1;

// The pieces of a snapshot, in this order: a head, then every node, job, planned start and past
// request.
struct SnapshotHead {
    std::uint32_t format = kSnapshotFormat;
    Epoch epoch{0};
    JobId next_job_id{0};
    ClusterSpec spec;  // Without its nodes.
    std::uint64_t nodes = 0, jobs = 0, planned_starts = 0, requests = 0, usages = 0, histories = 0,
                  reservations = 0;
    std::optional<bool> edits;  // Whether there are any; nullopt: written by an older version.
    std::optional<bool> cluster_edits;  // The same.
    std::vector<std::pair<JobId, Time>> holds;
    std::vector<std::pair<JobId, PreemptorRest>> rests;
    BERTH_FIELDS(SnapshotHead, format, epoch, next_job_id, spec, nodes, jobs, planned_starts,
                 requests, usages, histories, reservations, edits, cluster_edits, holds, rests)
};
struct SnapshotNode {
    NodeSpec spec;
    NodeCondition condition;
    BERTH_FIELDS(SnapshotNode, spec, condition)
};
struct SnapshotPlannedStart {
    JobId job{0};
    PlannedStart planned;
    BERTH_FIELDS(SnapshotPlannedStart, job, planned)
};
using SnapshotPiece =
    std::variant<SnapshotHead, SnapshotNode, Job, SnapshotPlannedStart, PastRequest, UsageRecord,
                 RunSamples, Reservation, AccountingEdits, ClusterEdits>;

// Packs pieces into slices of about the requested size.
class SliceWriter {
public:
    explicit SliceWriter(std::size_t slice_bytes) : slice_bytes_(slice_bytes) {}
    void put(const SnapshotPiece& piece) {
        const std::string bytes = encode(piece);
        current_ += encode(bytes);  // With its length, so that slices can be read piece by piece.
        if (current_.size() >= slice_bytes_) cut();
    }
    std::vector<std::string> take() {
        cut();
        return std::move(slices_);
    }

private:
    void cut() {
        if (!current_.empty()) slices_.push_back(std::exchange(current_, {}));
    }
    std::size_t slice_bytes_;
    std::string current_;
    std::vector<std::string> slices_;
};

// Far above what any machine has, and low enough that sums cannot overflow.
constexpr std::int64_t kAmountMax = std::int64_t{1} << 54;
constexpr std::uint32_t kCoresMax = 1 << 16;

bool is_sane(const Resources& amount) {
    for (std::size_t i = 0; i < kDimensionsMax; ++i) {
        const std::int64_t one = amount[DimensionId::from_index(i)];
        if (one < 0 || one > kAmountMax) return false;
    }
    return true;
}

bool is_sane(const NodeSpec& node, std::size_t dimensions) {
    const auto known = [&](const Device& device) { return device.dimension.index() < dimensions; };
    return node.devices.size() <= kDevicesPerNodeMax &&
           std::all_of(node.devices.begin(), node.devices.end(), known) &&
           std::uint64_t{node.sockets} * node.cores_per_socket <= kCoresMax &&
           is_sane(node.capacity);
}

bool is_sane(const UsageRecord& record) {
    for (std::size_t kind = 0; kind < kUsageKinds; ++kind) {
        const std::int64_t rate = record.rate[kind].whole;
        if (rate < 0 || rate > kAmountMax >> 8 || record.used[kind].whole < 0) return false;
    }
    return record.at >= Time{};
}

bool is_sane(const RunSamples& samples) {
    return std::all_of(samples.runs.begin(), samples.runs.end(), [](const RunSample& run) {
        return run.ended_at >= Time{} && run.length >= Duration{};
    });
}

bool is_sane(const SnapshotHead& head) {
    const auto known = [&](NodeId node) { return node.value() < head.nodes; };
    return head.format == kSnapshotFormat && head.spec.nodes.empty() &&
           head.spec.dimensions.size() <= kDimensionsMax &&
           std::all_of(head.spec.partitions.begin(), head.spec.partitions.end(),
                       [&](const PartitionSpec& partition) {
                           return std::all_of(partition.nodes.begin(), partition.nodes.end(),
                                              known);
                       });
}

Error malformed(std::string_view what) {
    return Error{ErrorCode::invalid_argument, "malformed snapshot: " + std::string(what)};
}

std::uint64_t known_histories(const RunHistory& history) {
    std::uint64_t known = 0;
    for (const RunSamples& samples : history.slots()) known += samples.runs.empty() ? 0U : 1U;
    return known;
}

// Collects the pieces of a state, and verifies that everything they name exists, since all other
// code relies on it.
struct SnapshotLoading {
    DurableState state;
    std::optional<SnapshotHead> head;
    std::uint64_t histories = 0;

    Status add(SnapshotHead piece) {
        if (head) return malformed("a second head");
        if (!is_sane(piece)) return malformed("written by another version, or damaged");
        state.epoch = piece.epoch;
        state.next_job_id = piece.next_job_id;
        state.spec = piece.spec;
        state.holds.insert(piece.holds.begin(), piece.holds.end());
        state.rests.insert(piece.rests.begin(), piece.rests.end());
        head = std::move(piece);
        return Done{};
    }
    Status add(SnapshotNode piece) {
        if (!is_sane(piece.spec, state.spec.dimensions.size())) return malformed("a node");
        state.spec.nodes.push_back(std::move(piece.spec));
        state.conditions.push_back(std::move(piece.condition));
        return Done{};
    }
    Status add(Job piece) {
        if (!names_known_things(piece)) return malformed("a job that names what is not there");
        const JobId id = piece.id;
        state.parts.share(piece);
        if (state.jobs.contains(id)) return malformed("a job twice");
        state.jobs.put(std::move(piece));
        return Done{};
    }
    Status add(SnapshotPlannedStart piece) {
        const Job* const job = state.jobs.find(piece.job);
        if (job == nullptr || job->state != JobState::pending) {
            return malformed("a planned start of no pending job");
        }
        state.planned[piece.job] = std::move(piece.planned);
        return Done{};
    }

    Status add(PastRequest piece) {
        const bool sane =
            piece.forgotten_at >= Time{} && piece.forgotten_at <= Time::max() - PastRequests::kKept;
        if (!sane) return malformed("a past request from no time at all");
        state.past_requests.remember(std::move(piece));
        return Done{};
    }
    Status add(UsageRecord piece) {
        if (!is_sane(piece)) return malformed("a usage beyond all measure");
        if (!state.usage.add(std::move(piece))) return malformed("a usage twice");
        return Done{};
    }
    Status add(RunSamples piece) {
        if (!is_sane(piece)) return malformed("runs from no time at all");
        ++histories;
        if (!state.run_history.put(std::move(piece))) return malformed("runs without a place");
        return Done{};
    }

    Status add(const Reservation& piece) {
        const bool sane =
            piece.start < piece.end &&
            std::ranges::all_of(
                piece.amounts,
                [&](const auto& part) {
                    return part.first.index() < state.spec.nodes.size() && is_sane(part.second);
                });
        if (!sane) return malformed("a reservation");
        if (!state.reservations.add(piece)) return malformed("a reservation twice");
        return Done{};
    }
    Status add(AccountingEdits piece) {
        state.edits = std::move(piece);
        return Done{};
    }

    Status add(ClusterEdits piece) {
        for (const PartitionEdit& edit : piece.partitions) BERTH_CHECK(check(edit.change));
        state.cluster_edits = std::move(piece);
        return Done{};
    }

    bool names_known_things(const Job& job) const {
        const auto known = [&](NodeId node) { return node.index() < state.spec.nodes.size(); };
        const bool holds = job.state == JobState::running || job.state == JobState::completing;
        if (holds != job.allocation.has_value()) return false;
        if (job.is_suspended() && job.state != JobState::running) return false;
        if (job.suspension && job.state == JobState::pending) return false;
        if (job.partition.index() >= state.spec.partitions.size()) return false;
        if (job.qos.index() > 0 && job.qos.index() >= state.spec.qos.size()) return false;
        if (!std::all_of(job.nodes.begin(), job.nodes.end(), known)) return false;
        return !holds || std::all_of(job.allocation->shares.begin(), job.allocation->shares.end(),
                                     [&](const NodeShare& share) {
                                         return known(share.node) && is_sane(share.amount);
                                     });
    }
    bool complete() const {
        return head && head->nodes == state.spec.nodes.size() && head->jobs == state.jobs.size() &&
               head->planned_starts == state.planned.size() &&
               head->requests == state.past_requests.all().size() &&
               head->usages == state.usage.records().size() && head->histories == histories &&
               head->reservations == state.reservations.size() &&
               head->edits.value_or(!state.edits.empty()) != state.edits.empty() &&
               head->cluster_edits.value_or(false) != state.cluster_edits.empty();
    }
};

}  // namespace

std::vector<std::string> slices_of(const ClusterState& state, std::size_t slice_bytes) {
    SliceWriter writer(slice_bytes);
    SnapshotHead head{.epoch = state.epoch(),
                      .next_job_id = state.next_job_id(),
                      .spec = state.spec(),
                      .nodes = state.spec().nodes.size(),
                      .jobs = state.jobs().size(),
                      .planned_starts = state.schedule().planned_starts().size(),
                      .requests = state.past_requests().all().size(),
                      .usages = state.usage().records().size(),
                      .histories = known_histories(state.run_history()),
                      .reservations = state.reservations().size(),
                      .edits = !state.configuration().accounting_edits().empty(),
                      .cluster_edits = !state.configuration().cluster_edits().empty(),
                      .holds = {state.schedule().preemptor_holds().begin(),
                                state.schedule().preemptor_holds().end()},
                      .rests = {state.schedule().preemptor_rests().begin(),
                                state.schedule().preemptor_rests().end()}};
    head.spec.nodes.clear();
    writer.put(head);
    for (std::size_t i = 0; i < state.spec().nodes.size(); ++i) {
        writer.put(
            SnapshotNode{state.spec().nodes[i], state.nodes().condition(NodeId::from_index(i))});
    }
    for (const auto& [id, job] : state.jobs()) writer.put(job);
    for (const auto& [id, planned] : state.schedule().planned_starts())
        writer.put(SnapshotPlannedStart{id, planned});
    for (const auto& [age, request] : state.past_requests().all()) writer.put(request);
    for (const UsageRecord& record : state.usage().records()) writer.put(record);
    for (const RunSamples& samples : state.run_history().slots()) {
        if (!samples.runs.empty()) writer.put(samples);
    }
    for (const auto& [name, reservation] : state.reservations()) writer.put(reservation);
    if (!state.configuration().accounting_edits().empty())
        writer.put(state.configuration().accounting_edits());
    if (!state.configuration().cluster_edits().empty())
        writer.put(state.configuration().cluster_edits());
    return writer.take();
}

Result<ClusterState> state_from(std::span<const std::string> slices) {
    SnapshotLoading loading;
    for (const std::string& slice : slices) {
        Reader reader(slice);
        while (!reader.at_end()) {
            std::string bytes;
            reader.read(bytes);
            if (!reader.ok()) return malformed("a slice that is cut off");
            BERTH_TRY(SnapshotPiece piece, decode<SnapshotPiece>(bytes));
            if (!loading.head && piece.index() != 0) return malformed("no head");
            BERTH_CHECK(
                std::visit([&](auto& kind) { return loading.add(std::move(kind)); }, piece));
        }
    }
    if (!loading.complete()) return malformed("parts are missing");
    return ClusterState(std::move(loading.state));
}

}  // namespace berth
