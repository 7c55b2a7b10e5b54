// slurm.conf's SlurmctldParameters: the limit on each user's requests. The server reads it from the
// settings; here what is wrong with it is said.
#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/model/rate_limit.h"

namespace berth::config {
namespace {

// Those that rate_limit_of() reads. Not rl_log_freq: sdiag counts each refusal as any other call.
bool is_rate_word(std::string_view name) {
    return std::ranges::any_of(
        std::to_array<std::string_view>(
            {"rl_enable", "rl_bucket_size", "rl_refill_rate", "rl_refill_period", "rl_table_size"}),
        [&](std::string_view known) { return iequals(known, name); });
}

}  // namespace

void read_slurmctld_parameters(Draft& draft, const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        for (const Pair& pair : line.pairs) {
            if (!iequals(pair.key, "SlurmctldParameters") || !pair.value) continue;
            const auto limit = rate_limit_of(*pair.value);
            if (!limit.ok()) draft.error(line, pair, limit.error().message);
            for (const std::string_view item : split(*pair.value, ',')) {
                const std::string word(trim(item));
                // How often Slurm logs refusals; here each is counted by sdiag as any call is.
                if (word.empty() || is_rate_word(word.substr(0, word.find('=')))) continue;
                draft.warning(line, pair, "SlurmctldParameters=" + word + " has no effect");
            }
        }
    }
}

}  // namespace berth::config
