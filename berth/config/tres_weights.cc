// Lists of weights: "CPU=1.0,Mem=0.25G,GRES/gpu=2.0,GRES/gpu:a100=4".
#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/model/micro.h"

namespace berth::config {
namespace {

std::optional<std::int64_t> bytes_of(char unit) {
    constexpr std::string_view kUnits = "kmgtp";
    const std::size_t at = kUnits.find(to_lower(unit));
    if (at == std::string_view::npos) return std::nullopt;
    return std::int64_t{1024} << (10 * at);
}

// "gres/gpu:A100" is "gres/gpu:A100": what follows the slash is a name of the site's.
std::string tres_name(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return to_lower(text);
    return to_lower(text.substr(0, slash)) + std::string(text.substr(slash));
}

bool is_known(const Draft& draft, const std::string& tres) {
    constexpr std::array<std::string_view, 3> kPlain = {"cpu", "mem", "node"};
    if (std::ranges::find(kPlain, tres) != kPlain.end()) return true;
    if (!tres.starts_with("gres/")) return false;
    const std::string name = tres.substr(5, tres.find(':') - 5);
    return draft.gres_types.contains(name) || draft.spec.dimensions.knows_name(name);
}

}  // namespace

std::vector<TresWeight> read_tres_weights(Draft& draft, const Line& line, const Pair& pair) {
    std::vector<TresWeight> weights;
    for (const std::string_view one : split(*pair.value, ',')) {
        if (trim(one).empty()) continue;
        const std::size_t equals = one.find('=');
        TresWeight weight{.tres = tres_name(trim(one.substr(0, equals)))};
        std::string_view number =
            equals == std::string_view::npos ? std::string_view() : trim(one.substr(equals + 1));
        if (weight.tres == "mem") {
            weight.per = mib(1).count();
            if (const auto unit = number.empty() ? std::nullopt : bytes_of(number.back())) {
                weight.per = *unit;
                number.remove_suffix(1);
            }
        }
        const auto micro = parse_micro(number);
        if (!micro) {
            draft.error(line, pair,
                        pair.key + ": " + std::string(trim(one)) +
                            " should be TRES=WEIGHT, such as cpu=1.0, mem=0.25G or gres/gpu=2");
        } else if (!is_known(draft, weight.tres)) {
            draft.error(line, pair,
                        pair.key + ": there is no TRES " + weight.tres +
                            " here; there are cpu, mem, node, and gres/NAME of GresTypes");
        } else {
            weight.micro = *micro;
            weights.push_back(std::move(weight));
        }
    }
    return weights;
}

}  // namespace berth::config
