#include "berth/model/cpu_bind.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 6> kOfSlurmAlone = {"threads",   "boards",   "ldoms",
                                                           "rank_ldom", "map_ldom", "mask_ldom"};

Error not_bound(std::string_view word, std::string_view text) {
    const auto is = [&](std::string_view known) { return iequals(word, known); };
    if (std::ranges::any_of(kOfSlurmAlone, is)) {
        return Error{ErrorCode::failed_precondition,
                     "--cpu-bind=" + std::string(word) +
                         " is not supported yet; cores, sockets, rank, none, map_cpu and mask_cpu "
                         "are"};
    }
    return Error{ErrorCode::invalid_argument,
                 "unrecognized --cpu-bind argument \"" + std::string(text.substr(0, 256)) +
                     "\": write cores, sockets, rank, none, map_cpu:0,1 or mask_cpu:0x1,0x2"};
}

}  // namespace

Result<CpuBind> CpuBind::parse(std::string_view text) {
    CpuBind bind;
    if (text.empty()) return bind;
    const auto colon = text.find(':');
    const std::string_view word = text.substr(0, colon);
    if (colon != std::string_view::npos) {
        const bool masks = iequals(word, "mask_cpu");
        bind.kind = masks ? Kind::mask : Kind::map;
        const bool known = masks || iequals(word, "map_cpu");
        auto list = parse_bind_list(text.substr(colon + 1), masks, kCpuNumbersMax);
        if (known && list) {
            bind.cpus = *std::move(list);
            return bind;
        }
    } else {
        for (const auto& [name, kind] : {std::pair{"none", Kind::none},
                                         {"no", Kind::none},
                                         {"cores", Kind::cores},
                                         {"sockets", Kind::sockets},
                                         {"rank", Kind::rank}}) {
            bind.kind = kind;
            if (iequals(word, name)) return bind;
        }
    }
    return not_bound(word, text);
}

}  // namespace berth
