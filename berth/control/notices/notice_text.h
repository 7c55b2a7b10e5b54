// The words of a notice, as Slurm's mails have them.
#pragma once

#include <string>
#include <string_view>

#include "berth/engine/state/cluster_state.h"
#include "berth/model/mail.h"
#include "berth/model/notice.h"

namespace berth {

// What became of the tasks of an array, together.
struct ArrayOutcome {
    std::uint32_t over = 0;  // Of its tasks.
    std::int16_t least_code = 0, most_code = 0, most_signal = 0;
    bool failed = false;    // One of them at least …
    bool requeued = false;  // … and likewise.

    void add(const Job& task);
};

// "Slurm Job_id=7 Name=train Ended, Run time 00:01:02, COMPLETED, ExitCode 0"
std::string mail_subject(const Job& job, MailType type, Time now);
// "Slurm Array Summary Job_id=7_* (7) Name=train Ended, Mixed, ExitCode [0-3]"
std::string array_subject(const Job& job, MailType type, const ArrayOutcome& outcome);

// `array`: it is about all its tasks.
std::vector<std::string> mail_variables(const ClusterState& state, const Job& job, MailType type,
                                        const ArrayOutcome* array, Time now);

JobNews news_of(const ClusterState& state, const Job& job, MailType type, Time now);

// Where it goes that is over or on its way there.
JobState end_of(const Job& job);

}  // namespace berth
