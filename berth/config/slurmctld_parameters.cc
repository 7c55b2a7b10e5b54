// slurm.conf's SlurmctldParameters: the limit on each user's requests. The server reads it from the
// settings; here what is wrong with it is said.
#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/model/rate_limit.h"

namespace berth::config {

void read_slurmctld_parameters(Draft& draft, const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        for (const Pair& pair : line.pairs) {
            if (!iequals(pair.key, "SlurmctldParameters") || !pair.value) continue;
            const auto limit = rate_limit_of(*pair.value);
            if (!limit.ok()) draft.error(line, pair, limit.error().message);
            for (const std::string_view item : split(*pair.value, ',')) {
                const std::string word(trim(item));
                // How often Slurm logs refusals; here each is counted by sdiag as any call is.
                if (word.empty() || to_lower(word).starts_with("rl_")) continue;
                draft.warning(line, pair, "SlurmctldParameters=" + word + " has no effect");
            }
        }
    }
}

}  // namespace berth::config
