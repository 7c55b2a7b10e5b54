#include "berth/model/preemption.h"

#include <utility>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth {

Result<PreemptModes> parse_preempt_mode(std::string_view text) {
    PreemptModes modes;
    bool given = false, gang = false;
    const auto wrong = [&](std::string_view why) {
        return invalid_argument("PreemptMode=" + std::string(text) + std::string(why));
    };
    for (const std::string_view part : split(text, ',')) {
        const std::string_view word = trim(part);
        if (iequals(word, "within")) {
            modes.within = true;
            continue;
        }
        if (iequals(word, "gang")) {
            gang = true;
            continue;
        }
        if (std::exchange(given, true)) return wrong(" has two modes where one is wanted");
        if (iequals(word, "off")) {
            modes.mode = PreemptMode::off;
        } else if (iequals(word, "cancel")) {
            modes.mode = PreemptMode::cancel;
        } else if (iequals(word, "requeue")) {
            modes.mode = PreemptMode::requeue;
        } else if (iequals(word, "suspend")) {
            modes.mode = PreemptMode::suspend;
        } else if (iequals(word, "checkpoint")) {
            modes.mode = PreemptMode::checkpoint;
        } else {
            return wrong(
                " should be OFF, CANCEL, REQUEUE, SUSPEND or CHECKPOINT, and WITHIN beside one of "
                "these");
        }
    }
    if (gang && modes.mode != PreemptMode::suspend) {
        return wrong(
            ": GANG goes with SUSPEND here; that jobs take turns is set for the cluster, by "
            "PreemptMode=GANG in slurm.conf");
    }
    if (modes.within && (!given || modes.mode == PreemptMode::off))
        return wrong(": WITHIN needs CANCEL, REQUEUE, SUSPEND or CHECKPOINT beside it");
    return modes;
}

std::string preempt_mode_text(PreemptMode mode, bool within, bool gang) {
    if (gang && mode == PreemptMode::off) return "GANG";
    const bool beside = gang && mode != PreemptMode::suspend;
    const std::string_view text = mode == PreemptMode::cancel       ? "CANCEL"
                                  : mode == PreemptMode::requeue    ? "REQUEUE"
                                  : mode == PreemptMode::suspend    ? "GANG,SUSPEND"
                                  : mode == PreemptMode::checkpoint ? "CHECKPOINT"
                                                                    : "OFF";
    return std::string(within ? "WITHIN," : "") + (beside ? "GANG," : "") + std::string(text);
}

}  // namespace berth
