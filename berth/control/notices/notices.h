// Notices: what became of jobs, for their users and the site. What each job was last seen as is
// compared with what it is at the end of a turn.
//
// Each piece of news is told at most once. It leaves when the record that caused it is durable;
// what a controller had not told when it died is not told by the next, which takes what it finds
// for known. Of the notices before a time limit the journal says that they were due (JobNoticed).
#pragma once

#include <map>

#include "berth/control/alarms/job_alarms.h"
#include "berth/control/notices/notice_text.h"
#include "berth/control/turn/turn_builder.h"

namespace berth {

class Notices {
public:
    explicit Notices(const ClusterState& state);

    // Before the scheduler's cycle: runs that have come near their time limit.
    void note_limits(TurnBuilder& builder);
    // At the end of a turn.
    void note(TurnBuilder& builder, const ClusterState::Touched& touched);

    std::optional<Time> next() const { return limits_.next(); }

private:
    enum class Phase : std::uint8_t { waiting, running, requeued, over };
    struct Seen {
        Attempt attempt{0};
        Phase phase = Phase::waiting;
        bool dependency_failed = false;
        std::optional<JobId> array;
    };
    // An array of which one mail is sent for all tasks.
    struct Array {
        bool began = false, over = false;
        std::uint8_t limit_notices = 0;
        ArrayOutcome outcome;
    };

    static Seen seen_now(const Job& job);
    void learn(const ClusterState& state);
    void forget(const ClusterState& state, JobId id);
    void take_interest(const ClusterState& state, const JobUpdated& update);
    void compare(TurnBuilder& builder, const Job& job);
    void tell(TurnBuilder& builder, const Job& job, MailType type);
    void post(TurnBuilder& builder, const Job& job, MailType type) const;  // To the site.
    void tell_end(TurnBuilder& builder, const Job& job);
    void tell_of_array(TurnBuilder& builder, const Job& job, MailType type);
    void send_mail(TurnBuilder& builder, const Job& job, MailType type, const ArrayOutcome* array);
    void end_array_task(TurnBuilder& builder, const Job& job);
    void set_alarm(const Job& job);

    std::map<JobId, Seen> seen_;  // Of jobs that someone wants to hear of.
    std::map<JobId, Array> arrays_;
    JobAlarms limits_;
    std::uint32_t webhook_events_ = 0;
};

}  // namespace berth
