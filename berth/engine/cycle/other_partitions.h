// OtherPartitions: jobs that name several partitions (-p a,b), and those whose queue tells flavors
// apart. Such a job stands in one of them, in the order and in the plan. It moves to another where
// it can start earlier, or at all. What is said of partitions holds for flavors, too.
#pragma once

#include <optional>

#include "berth/engine/cycle/start_finder.h"

namespace berth {

// Records that the job moves there. It gives up its planned start.
void move_to(OpenCycle& cycle, JobId job, PartitionId partition, const FlavorChoice& flavor);

// If the partition in which the job stands keeps it from starting whatever is free, moves it to the
// first one where it can start, or else to the first where it only has to wait. A job that stands
// in no flavor of its queue is moved to one in any case. REQUIRES: it has several.
void leave_shut_partition(OpenCycle& cycle, const PendingJob& job);

class OtherPartitions {
public:
    OtherPartitions(OpenCycle& cycle, StartBounds& bounds, StartFinder& finder)
        : cycle_(cycle), bounds_(bounds), finder_(finder) {}

    // Those of the tier where the job stands, or of a higher one, are tried at its turn. The lower
    // ones are tried once all jobs have had their turn, for immediate starts alone: it must not
    // pass those who stand there, nor give up its place in the higher tier while it waits.
    enum class Which : std::uint8_t { of_its_tier, lower };

    // What is looked for.
    struct Look {
        Which which = Which::of_its_tier;
        bool may_plan = false;  // A job without a planned start may get one.
        bool only_now = false;  // An immediate start.
        // Without backfill: when each partition may start a job again. Only an immediate start
        // counts then.
        const std::vector<Time>* floors = nullptr;

        bool is_for_now() const { return only_now || which == Which::lower || floors != nullptr; }
    };

    // Whether a search there would find nothing.
    bool are_settled(const PendingJob& job, const Look& look);

    // The earliest start there; one before its planned start, if it has one. REQUIRES: its planned
    // start was lifted out of the book; `planned` is when it is.
    struct Better {
        PartitionId partition{0};
        FlavorChoice flavor;
        Found found;
        bool limited = false;  // Limits bounded the search.
    };
    std::optional<Better> search(const PendingJob& job, std::optional<Time> planned,
                                 const Look& look);

    // Whether it is one of those.
    static bool is_meant(const ClusterSpec& spec, const PendingJob& job,
                         const OtherPartition& there, Which which);

    // Whether it could start there at all.
    static bool is_open(const OpenCycle& cycle, JobId job, const OtherPartition& there);

private:
    // Whether only limits that others use up keep it from starting there now, so that it may have a
    // planned start there.
    bool may_wait_ahead(const PendingJob& job, const OtherPartition& there);
    PendingJob job_in(const PendingJob& job, const OtherPartition& there);
    Time latest_start(const PendingJob& there, std::optional<Time> planned, const Look& look);
    bool may_help(const PendingJob& job, OtherPartition& there, bool is_planned, Time latest,
                  const Look& look);
    bool is_settled(OtherPartition& there, bool is_planned, Time latest);
    void note_search(OtherPartition& there, const std::optional<Found>& found, bool is_planned,
                     Time latest);

    OpenCycle& cycle_;
    StartBounds& bounds_;
    StartFinder& finder_;
};

}  // namespace berth
