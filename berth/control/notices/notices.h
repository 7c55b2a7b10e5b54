// Notices: tells users (by mail) and the site (by webhook) what happened to jobs. At the end of a
// turn, each job is compared with how it was last seen.
//
// A notice is sent at most once, after the record that caused it is durable. If a controller dies
// before it has sent one, its successor does not send it: it takes the recovered state as known.
// Only notices before a time limit are journaled (JobNoticed).
#pragma once

#include <map>

#include "berth/control/alarms/job_alarms.h"
#include "berth/control/notices/notice_text.h"
#include "berth/control/turn/turn_builder.h"

namespace berth {

class Notices {
public:
    explicit Notices(const ClusterState& state);

    // Call before the scheduling cycle: notices for runs that are near their time limit.
    void note_limits(TurnBuilder& builder);
    // Call at the end of a turn.
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
    // An array whose tasks share one mail.
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
    void post(TurnBuilder& builder, const Job& job, MailType type) const;  // To the webhook.
    void tell_end(TurnBuilder& builder, const Job& job);
    void tell_of_array(TurnBuilder& builder, const Job& job, MailType type);
    void send_mail(TurnBuilder& builder, const Job& job, MailType type, const ArrayOutcome* array);
    void end_array_task(TurnBuilder& builder, const Job& job);
    void set_alarm(const Job& job);

    std::map<JobId, Seen> seen_;  // Jobs that have subscribers.
    std::map<JobId, Array> arrays_;
    JobAlarms limits_;
    std::uint32_t webhook_events_ = 0;
};

}  // namespace berth
