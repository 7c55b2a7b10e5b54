#include "berth/model/mem_bind.h"

#include <algorithm>
#include <utility>

#include "berth/base/text.h"

namespace berth {
namespace {

bool is_either(std::string_view word, std::string_view name, std::string_view letter) {
    return iequals(word, name) || iequals(word, letter);
}

Error memory_not_bound(std::string_view word, std::string_view text) {
    if (is_either(word, "verbose", "v") || iequals(word, "sort")) {
        return Error{ErrorCode::failed_precondition,
                     "--mem-bind=" + std::string(word) +
                         " is not supported; numastat -p shows where a program's memory is"};
    }
    return Error{ErrorCode::invalid_argument,
                 "unrecognized --mem-bind argument \"" + std::string(text.substr(0, 256)) +
                     "\": write local, rank, none, map_mem:0,1 or mask_mem:0x1,0x2, and prefer, "
                     "before it where other memory may be used as well"};
}

bool take_list(std::string_view text, MemBind& bind) {
    const std::size_t colon = text.find(':');
    const bool masks = iequals(text.substr(0, colon), "mask_mem");
    if (!masks && !iequals(text.substr(0, colon), "map_mem")) return false;
    auto list = parse_bind_list(text.substr(colon + 1), masks, kNumaNodesMax);
    if (!list) return false;
    bind.kind = masks ? MemBind::Kind::mask : MemBind::Kind::map;
    bind.nodes = *std::move(list);
    return true;
}

bool take_word(std::string_view word, MemBind& bind) {
    if (is_either(word, "quiet", "q") || iequals(word, "nosort")) return true;
    if (is_either(word, "prefer", "p")) {
        bind.prefer = true;
        return true;
    }
    for (const auto& [name, kind] : {std::pair{"none", MemBind::Kind::none},
                                     {"no", MemBind::Kind::none},
                                     {"local", MemBind::Kind::local},
                                     {"rank", MemBind::Kind::rank}}) {
        if (!iequals(word, name)) continue;
        bind.kind = kind;
        return true;
    }
    return false;
}

}  // namespace

Result<MemBind> MemBind::parse(std::string_view text) {
    MemBind bind;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(','));
        const bool is_list = word.find(':') != std::string_view::npos;
        if (is_list ? !take_list(rest, bind) : !take_word(word, bind))
            return memory_not_bound(word, text);
        rest.remove_prefix(is_list ? rest.size() : std::min(word.size() + 1, rest.size()));
    }
    return bind;
}

}  // namespace berth
