// Settings: what `scontrol show config` lists: what slurm.conf sets, and Slurm's default for the
// rest.
#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/config/known_keys.h"

namespace berth::config {
namespace {

// The unit that Slurm prints behind a number, taken from how it prints the default: "30 sec" → "
// sec".
std::string unit_of(std::string_view shown) {
    const std::size_t blank = shown.find(' ');
    if (blank == std::string_view::npos || !parse_int64(shown.substr(0, blank)).ok()) return {};
    return std::string(shown.substr(blank));
}

std::string shown_value(const Draft& draft, const KnownKey& key) {
    const Pair* pair = draft.global(to_lower(key.name));
    if (pair == nullptr) return std::string(key.shown);
    const bool is_number = parse_int64(*pair->value).ok();
    return *pair->value + (is_number ? unit_of(key.shown) : std::string());
}

}  // namespace

void list_settings(Draft& draft) {
    for (const KnownKey& key : known_keys()) {
        std::string value = shown_value(draft, key);
        if (value.empty()) continue;
        const std::string name =
            key.name == "SlurmctldHost" ? "SlurmctldHost[0]" : std::string(key.name);
        draft.spec.settings.emplace_back(name, std::move(value));
    }
}

}  // namespace berth::config
