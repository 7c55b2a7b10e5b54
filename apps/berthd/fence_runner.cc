#include "apps/berthd/fence_runner.h"

namespace berth {

void FenceRunner::call(FenceCall call) {
    SiteProgram program{
        .path = call.program,
        .arguments = {call.node, call.boot_id},
        .environment = {"BERTH_NODE=" + call.node, "BERTH_NODE_HOSTNAME=" + call.hostname,
                        "BERTH_NODE_ADDRESS=" + call.address, "BERTH_BOOT_ID=" + call.boot_id},
        .timeout = call.timeout};
    pool_.put({.programs = {std::move(program)},
               .over = [this, node = call.node, boot_id = call.boot_id](std::string failure) {
                   tell_({.node = node, .boot_id = boot_id, .failure = std::move(failure)});
               }});
}

}  // namespace berth
