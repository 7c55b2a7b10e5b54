// Bytes as a record of the journal, and as a snapshot: whatever they are, they are read or refused,
// and what was read reads the same again.
#include <string_view>

#include "berth/base/assert.h"
#include "berth/base/codec.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/engine/state/snapshot.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    if (const auto record = berth::decode<berth::Record>(text); record.ok()) {
        const auto again = berth::decode<berth::Record>(berth::encode(*record));
        BERTH_ASSERT(again.ok() && *again == *record);
    }
    const std::string slice(text);
    if (const auto state = berth::state_from({&slice, 1}); state.ok()) {
        const auto slices = berth::slices_of(*state, 64);
        const auto again = berth::state_from(slices);
        BERTH_ASSERT(again.ok() && again->hash() == state->hash());
    }
    return 0;
}
