#include "berth/config/globals.h"

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/base/yes_no.h"

namespace berth::config {

Globals::Globals(Draft& draft)
    : draft_(draft), line_{.file = draft.slurm_conf, .number = 0, .pairs = {}} {}

std::int64_t Globals::number(const char* key, std::int64_t low, std::int64_t high,
                             std::int64_t otherwise) {
    const Pair* pair = draft_.global(key);
    return pair == nullptr ? otherwise : number_or(draft_, line_, *pair, low, high, otherwise);
}

Duration Globals::seconds(const char* key, Duration otherwise) {
    return std::chrono::seconds(number(key, 0, 65533, otherwise.count() / 1000));
}

Duration Globals::length(const char* key, Duration otherwise) {
    const Pair* pair = draft_.global(key);
    if (pair == nullptr) return otherwise;
    const auto time = parse_time_limit(*pair->value);
    if (time.ok() && time.value()) return round_up_to_minute(*time.value());
    draft_.error(line_, *pair, pair->key + "=" + *pair->value + " should be a time, like 7-0");
    return otherwise;
}

bool Globals::flag(const char* key, bool otherwise) {
    const Pair* pair = draft_.global(key);
    if (pair == nullptr) return otherwise;
    const auto yes = parse_yes_no(*pair->value);
    if (!yes) draft_.error(line_, *pair, pair->key + "=" + *pair->value + " should be yes or no");
    return yes.value_or(otherwise);
}

}  // namespace berth::config
