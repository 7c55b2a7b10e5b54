#include "berth/control/core/loop.h"

#include <algorithm>

namespace berth {

Loop::Loop(Controller controller, World world)
    : controller_(std::move(controller)), world_(world), time_(controller_.now()) {}

// The order matters. Nothing leaves before it is recorded, so a crash at any line loses nothing
// that anyone else has seen. Readers are served before the sender is answered, so a client reads
// its own writes.
Status Loop::run_once() {
    begin(TurnPart::waiting);
    std::vector<Input> inputs = world_.inbox.wait_until(wake_at());
    begin(TurnPart::deciding);
    const Time begun = world_.clock.now();
    Turn turn = controller_.turn(time_.advance(begun), std::move(inputs), world_.journal.has_room(),
                                 world_.observer);
    if (!turn.record.facts.empty()) {
        begin(TurnPart::recording);
        BERTH_CHECK(world_.journal.append(turn.record, controller_.state()));
        if (world_.observer != nullptr) {
            world_.observer->recorded(turn.record, controller_.state());
        }
    }
    begin(TurnPart::publishing);
    world_.readers.publish(controller_.state(), turn.changes);
    controller_.turn_took(std::max(world_.clock.now() - begun, Duration{}));
    begin(TurnPart::answering);
    send(turn);
    wake_at_ = turn.wake_at;
    begin(TurnPart::resting);
    return world_.journal.rest(controller_.state());
}

void Loop::begin(TurnPart part) {
    if (world_.observer != nullptr) world_.observer->part_begins(part);
}

void Loop::send(Turn& turn) {
    for (OutgoingAnswer& answer : turn.answers) world_.clients.answer(std::move(answer));
    for (OutgoingOrder& order : turn.orders) world_.agents.send(std::move(order));
    for (const Link link : turn.closed) world_.agents.close(link);
    for (FenceCall& call : turn.fences) {
        BERTH_ASSERT(world_.fence != nullptr);
        world_.fence->call(std::move(call));
    }
    for (HookCall& call : turn.hooks) {
        BERTH_ASSERT(world_.hooks != nullptr);
        world_.hooks->call(std::move(call));
    }
    if (world_.notifier != nullptr) {
        for (Notice& notice : turn.notices) world_.notifier->tell(std::move(notice));
    }
    if (world_.log == nullptr) return;
    for (const LogLine& line : turn.log) world_.log->write(line.level, "control", line.text);
}

}  // namespace berth
