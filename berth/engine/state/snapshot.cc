// The state's hash, and the snapshot: the state as bytes in slices, and back.
#include "berth/base/codec.h"

#include <algorithm>

#include "berth/engine/state/cluster_state_change.h"

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
    BERTH_FIELDS(SnapshotHead, format, epoch, next_job_id, spec, nodes, jobs, planned_starts,
                 requests, usages, histories, reservations, edits, cluster_edits)
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
    const auto rate = [](UsageAmount one) {
        return one.whole >= 0 && one.whole <= kAmountMax >> 8;
    };
    const auto used = [](UsageAmount one) { return one.whole >= 0; };
    return record.at >= Time{} && std::all_of(record.rate.begin(), record.rate.end(), rate) &&
           std::all_of(record.used.begin(), record.used.end(), used);
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

}  // namespace

std::uint64_t ClusterState::hash() const {
    StateHash hash;
    hash.add(hash_of(spec_));
    hash.add(epoch_);
    hash.add(next_job_id_);
    hash.add(conditions_.size());
    for (const NodeCondition& condition : conditions_) hash.add(hash_of(condition));
    hash.add(jobs_.size());
    for (const auto& [id, job] : jobs_) hash.add(hash_of(job));
    hash.add(planned_.size());
    for (const auto& [id, planned] : planned_) {
        hash.add(id);
        hash.add(hash_of(planned));
    }
    hash.add(past_requests_.all().size());
    for (const auto& [age, request] : past_requests_.all()) hash.add(hash_of(request));
    for (const RunSamples& samples : run_history_.slots()) {
        if (!samples.runs.empty()) hash.add(hash_of(samples));
    }
    hash.add(usage_.size());
    for (const UsageRecord& record : usage_) hash.add(hash_of(record));
    for (const auto& [name, reservation] : reservations_) hash.add(hash_of(reservation));
    if (!edits_.empty()) hash.add(hash_of(edits_));
    if (!cluster_edits_.empty()) hash.add(hash_of(cluster_edits_));
    return hash.value();
}

std::uint64_t ClusterState::known_histories() const {
    std::uint64_t known = 0;
    for (const RunSamples& samples : run_history_.slots()) known += samples.runs.empty() ? 0U : 1U;
    return known;
}

std::vector<std::string> ClusterState::snapshot_slices(std::size_t slice_bytes) const {
    SliceWriter writer(slice_bytes);
    SnapshotHead head{.epoch = epoch_,
                      .next_job_id = next_job_id_,
                      .spec = spec_,
                      .nodes = spec_.nodes.size(),
                      .jobs = jobs_.size(),
                      .planned_starts = planned_.size(),
                      .requests = past_requests_.all().size(),
                      .usages = usage_.size(),
                      .histories = known_histories(),
                      .reservations = reservations_.size(),
                      .edits = !edits_.empty(),
                      .cluster_edits = !cluster_edits_.empty()};
    head.spec.nodes.clear();
    writer.put(head);
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {
        writer.put(SnapshotNode{spec_.nodes[i], conditions_[i]});
    }
    for (const auto& [id, job] : jobs_) writer.put(job);
    for (const auto& [id, planned] : planned_) writer.put(SnapshotPlannedStart{id, planned});
    for (const auto& [age, request] : past_requests_.all()) writer.put(request);
    for (const UsageRecord& record : usage_) writer.put(record);
    for (const RunSamples& samples : run_history_.slots()) {
        if (!samples.runs.empty()) writer.put(samples);
    }
    for (const auto& [name, reservation] : reservations_) writer.put(reservation);
    if (!edits_.empty()) writer.put(edits_);
    if (!cluster_edits_.empty()) writer.put(cluster_edits_);
    return writer.take();
}

// Builds a state from pieces, and verifies that everything they name exists, since all other code
// relies on it.
struct ClusterState::Loading {
    ClusterState state;
    std::optional<SnapshotHead> head;
    std::uint64_t histories = 0;

    Status add(SnapshotHead piece) {
        if (head) return malformed("a second head");
        if (!is_sane(piece)) return malformed("written by another version, or damaged");
        state.epoch_ = piece.epoch;
        state.next_job_id_ = piece.next_job_id;
        state.spec_ = piece.spec;
        head = std::move(piece);
        return Done{};
    }
    Status add(SnapshotNode piece) {
        if (!is_sane(piece.spec, state.spec_.dimensions.size())) return malformed("a node");
        state.spec_.nodes.push_back(std::move(piece.spec));
        state.conditions_.push_back(std::move(piece.condition));
        return Done{};
    }
    Status add(Job piece) {
        if (!names_known_things(piece)) return malformed("a job that names what is not there");
        const JobId id = piece.id;
        state.parts_.share(piece);
        if (state.jobs_.contains(id)) return malformed("a job twice");
        state.index_.add(
            state.jobs_.put(std::move(piece)));  // The rest of the indexes once all is here.
        return Done{};
    }
    Status add(SnapshotPlannedStart piece) {
        if (!state.index_.pending().contains(piece.job))
            return malformed("a planned start of no pending job");
        state.planned_[piece.job] = std::move(piece.planned);
        return Done{};
    }

    Status add(PastRequest piece) {
        const bool sane =
            piece.forgotten_at >= Time{} && piece.forgotten_at <= Time::max() - PastRequests::kKept;
        if (!sane) return malformed("a past request from no time at all");
        state.past_requests_.remember(std::move(piece));
        return Done{};
    }
    Status add(UsageRecord piece) {
        if (!is_sane(piece)) return malformed("a usage beyond all measure");
        const auto [at, is_new] =
            state.usage_by_name_.try_emplace({piece.account, piece.user}, state.usage_.size());
        if (!is_new) return malformed("a usage twice");
        state.usage_.push_back(std::move(piece));
        return Done{};
    }
    Status add(RunSamples piece) {
        if (!is_sane(piece)) return malformed("runs from no time at all");
        ++histories;
        if (!state.run_history_.put(std::move(piece))) return malformed("runs without a place");
        return Done{};
    }

    Status add(Reservation piece) {
        const bool sane =
            piece.start < piece.end &&
            std::ranges::all_of(
                piece.amounts,
                [&](const auto& part) {
                    return part.first.index() < state.spec_.nodes.size() && is_sane(part.second);
                });
        if (!sane) return malformed("a reservation");
        std::string name = piece.name;
        if (!state.reservations_.try_emplace(std::move(name), std::move(piece)).second) {
            return malformed("a reservation twice");
        }
        return Done{};
    }
    Status add(AccountingEdits piece) {
        state.edits_ = std::move(piece);
        return Done{};
    }

    Status add(ClusterEdits piece) {
        for (const PartitionEdit& edit : piece.partitions) BERTH_CHECK(check(edit.change));
        state.cluster_edits_ = std::move(piece);
        return Done{};
    }

    bool names_known_things(const Job& job) const {
        const auto known = [&](NodeId node) { return node.index() < state.spec_.nodes.size(); };
        const bool holds = job.state == JobState::running || job.state == JobState::completing;
        if (holds != job.allocation.has_value()) return false;
        if (job.is_suspended() && job.state != JobState::running) return false;
        if (job.suspension && job.state == JobState::pending) return false;
        if (job.partition.index() >= state.spec_.partitions.size()) return false;
        if (job.qos.index() > 0 && job.qos.index() >= state.spec_.qos.size()) return false;
        if (!std::all_of(job.nodes.begin(), job.nodes.end(), known)) return false;
        return !holds || std::all_of(job.allocation->shares.begin(), job.allocation->shares.end(),
                                     [&](const NodeShare& share) {
                                         return known(share.node) && is_sane(share.amount);
                                     });
    }
    bool complete() const {
        return head && head->nodes == state.spec_.nodes.size() &&
               head->jobs == state.jobs_.size() && head->planned_starts == state.planned_.size() &&
               head->requests == state.past_requests_.all().size() &&
               head->usages == state.usage_.size() && head->histories == histories &&
               head->reservations == state.reservations_.size() &&
               head->edits.value_or(!state.edits_.empty()) != state.edits_.empty() &&
               head->cluster_edits.value_or(false) != state.cluster_edits_.empty();
    }
};

Result<ClusterState> ClusterState::from_slices(std::span<const std::string> slices) {
    Loading loading;
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
    loading.state.recompute_free();
    for (const auto& [id, job] : loading.state.jobs_) {  // Older snapshots had no usage.
        if (is_final(job.state)) continue;
        loading.state.usage_index(job.started_at.value_or(Time{}), job.spec.account,
                                  job.owner->user);
    }
    loading.state.recompute_rates();
    loading.state.rebuild_quota();
    loading.state.touched_usage_.clear();
    loading.state.touched_spec_ = loading.state.touched_reservations_ = true;
    return std::move(loading.state);
}

}  // namespace berth
