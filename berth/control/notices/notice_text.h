// The texts of notices, worded as in Slurm's mails.
#pragma once

#include <string>
#include <string_view>

#include "berth/engine/state/cluster_state.h"
#include "berth/model/mail.h"
#include "berth/model/notice.h"

namespace berth {

// How the tasks of an array ended, in sum.
struct ArrayOutcome {
    std::uint32_t over = 0;  // Number of tasks that ended.
    std::int16_t least_code = 0, most_code = 0, most_signal = 0;
    bool failed = false;    // At least one task failed.
    bool requeued = false;  // At least one task was requeued.

    void add(const Job& task);
};

// "Slurm Job_id=7 Name=train Ended, Run time 00:01:02, COMPLETED, ExitCode 0"
std::string mail_subject(const Job& job, MailType type, Time now);
// "Slurm Array Summary Job_id=7_* (7) Name=train Ended, Mixed, ExitCode [0-3]"
std::string array_subject(const Job& job, MailType type, const ArrayOutcome& outcome);

// `array`: set if the mail is about all tasks of the array; null otherwise.
std::vector<std::string> mail_variables(const ClusterState& state, const Job& job, MailType type,
                                        const ArrayOutcome* array, Time now);

JobNews news_of(const ClusterState& state, const Job& job, MailType type, Time now);

// The final state of a job that has ended or is completing.
JobState end_of(const Job& job);

}  // namespace berth
