#include "berth/slurm/admin/scontrol_token.h"

#include <algorithm>
#include <ostream>

#include "berth/base/text.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {

int print_token(Client& client, const std::vector<std::string>& words, Streams& streams) {
    const auto fail = [&](const std::string& message) {
        streams.err << "scontrol: error: " << message << '\n';
        return 1;
    };
    api::TokenCall call;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        const std::string value = word.substr(std::min(word.find('=') + 1, word.size()));
        if (starts_with_icase(word, "username=")) {
            call.user = value;
            continue;
        }
        const auto seconds = parse_int64(value);
        if (!starts_with_icase(word, "lifespan=") || !seconds.ok() || *seconds < 1)
            return fail("'" + word + "' should be lifespan=SECONDS or username=USER");
        call.lifetime = std::chrono::seconds(*seconds);
    }
    const auto made = client.create_token(call);
    if (!made) return fail(slurm_message(made.problem()));
    streams.out << kSlurmJwt << "=" << made->token << '\n';
    return 0;
}

}  // namespace berth::slurm
