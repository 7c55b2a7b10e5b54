#include "berth/host/node/attempt_removal.h"

namespace berth {

void AttemptRemoval::remove(const AttemptKey& attempt) {
    const std::optional<AttemptPlace> gone = places_.retire(attempt);
    if (!gone) return;
    runs_.forget_all(attempt);
    remove_retired();
    if (places_.any_of_user(gone->uid)) return;
    shared_memory_.on_last_job_gone(gone->uid, gone->remove_shared_memory);
}

void AttemptRemoval::remove_retired() {
    places_.remove_retired();
    mps_.stop_unneeded();
}

void AttemptRemoval::remove_orphans() {
    for (const AttemptKey& attempt : places_.orphans_to_remove()) {
        log_.write(LogLevel::info, "host",
                   "removing what is left of " + folder_of_attempt(attempt.job, attempt.attempt) +
                       ", which the agent does not know");
        remove(attempt);
    }
}

}  // namespace berth
