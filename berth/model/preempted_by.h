// The reason that a run which is preempted ends with: it names the preemptor, and stays with the
// job until its next start.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/model/ids.h"

namespace berth {

std::string preempted_by_text(JobId preemptor);  // "Preempted by job 900"
// "Preempted by job 900: checkpoint timeout". Of a run that was given time to save a checkpoint.
std::string checkpoint_timeout_text(JobId preemptor);
// nullopt: the reason is another.
std::optional<JobId> preemptor_of(std::string_view reason);
bool is_checkpoint_timeout(std::string_view reason);

// Of a run that takes turns with others on its cores, while it stands still.
inline constexpr std::string_view kAwaitsTurn = "Waits for its turn";

}  // namespace berth
