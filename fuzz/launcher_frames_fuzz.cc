// What an agent says to its launcher, which is root: cut into frames, read, and put before the
// gate. Nothing that is not signed may pass that begins anything.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string_view>

#include "berth/base/codec.h"
#include "berth/launcher/gate.h"
#include "berth/launcher/protocol.h"

namespace {

class NoDisk : public berth::Disk {
public:
    berth::Status write(std::span<const berth::MemoryWrite>) override { return berth::Done{}; }
};

bool begins(const berth::HostAction& action) {
    return std::holds_alternative<berth::StartAttempt>(action) ||
           std::holds_alternative<berth::StartStep>(action) ||
           std::holds_alternative<berth::StartHook>(action) ||
           std::holds_alternative<berth::StartNodeProgram>(action);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static NoDisk disk;
    static const auto keys = *berth::SigningKeys::of(*berth::make_signing_key());
    static berth::LaunchGate gate(
        {.node = "n", .boot_id = "b", .present = [](berth::JobId, berth::Attempt) { return true; }},
        *berth::VerifyingKeys::of(keys.public_keys()), *berth::LaunchLedger::open(disk, {}));
    berth::Frames frames;
    frames.add({reinterpret_cast<const char*>(bytes), size});
    for (;;) {
        const auto frame = frames.next();
        if (!frame.ok() || !*frame) return 0;
        const auto action = berth::decode<berth::HostAction>(**frame, berth::kMessageRoom);
        if (!action.ok()) continue;
        const auto admitted = gate.admit(*action, berth::from_seconds(1'700'000'000));
        if (admitted.ok() && begins(*admitted)) std::abort();
        (void)berth::decode<berth::LauncherEvent>(**frame, berth::kMessageRoom);
    }
}
