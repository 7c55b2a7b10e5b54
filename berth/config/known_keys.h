// KnownKeys: every key that slurm.conf may hold, so that a misspelt one is told from one that Berth
// has no use for.
#pragma once

#include <span>
#include <string_view>

namespace berth::config {

enum class KeyUse : unsigned char {
    acted_on,    // It changes what Berth does.
    slurms_own,  // It sets up a daemon or plugin of Slurm whose part Berth plays in its own way: a
                 // warning says that it has no effect, unless it is set to what is so anyway.
    not_yet,     // Berth will act on it; until then a warning says that it has no effect.
};

struct KnownKey {
    std::string_view name;  // As Slurm spells it.
    KeyUse use = KeyUse::slurms_own;
    std::string_view
        shown;  // What `scontrol show config` prints when it is not set; empty: nothing.
};

std::span<const KnownKey> known_keys();
const KnownKey* find_known_key(std::string_view name);  // Without regard to case.

}  // namespace berth::config
