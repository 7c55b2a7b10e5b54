#include "berth/slurm/admin/scontrol_requeue.h"

#include <utility>

#include "berth/base/text.h"

namespace berth::slurm {

RequeueCall parse_requeue(std::vector<std::string> words) {
    RequeueCall call;
    call.request.hold = iequals(words.front(), "requeuehold");
    while (words.size() > 1) {
        if (iequals(words[1], "incomplete")) {
            call.request.incomplete = true;
        } else if (call.request.hold && iequals(words[1], "state=specialexit")) {
            call.request.special_exit = true;
        } else {
            break;
        }
        words.erase(words.begin() + 1);
    }
    call.words = std::move(words);
    return call;
}

}  // namespace berth::slurm
