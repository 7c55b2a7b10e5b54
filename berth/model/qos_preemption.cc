#include "berth/model/qos_preemption.h"

#include <algorithm>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth {
namespace {

constexpr std::int64_t kSecondsMax = 365 * 86'400;

}  // namespace

Status set_preempt_mode(QosSpec& qos, std::string_view text) {
    qos.preempt_mode.reset();
    qos.preempt_within = false;
    if (iequals(text, "cluster")) return Done{};
    BERTH_TRY(const PreemptModes modes, parse_preempt_mode(text));
    qos.preempt_mode = modes.mode;
    qos.preempt_within = modes.within;
    return Done{};
}

std::string qos_preempt_mode_text(const QosSpec& qos) {
    if (!qos.preempt_mode) return {};
    return preempt_mode_text(*qos.preempt_mode, qos.preempt_within);
}

Status set_grace_time(QosSpec& qos, std::string_view text) {
    const auto seconds = parse_int64(text);
    if (!seconds.ok() || *seconds < -1 || *seconds > kSecondsMax) {
        return invalid_argument("GraceTime=" + std::string(text) +
                                " should be a whole number of seconds, or -1 for none");
    }
    qos.grace_time = std::chrono::seconds(std::max<std::int64_t>(*seconds, 0));
    return Done{};
}

Status set_preempt_exempt(QosSpec& qos, std::string_view text) {
    const auto length = parse_time_limit(text);
    if (!length.ok()) {
        return invalid_argument("PreemptExemptTime=" + std::string(text) +
                                " should be a time like 10:00, or -1 for the cluster's");
    }
    qos.preempt_exempt = *length;
    return Done{};
}

std::optional<std::string> find_preemption_loop(const std::vector<QosSpec>& all) {
    const auto find = [&](std::string_view name) {
        return static_cast<std::size_t>(
            std::ranges::find_if(
                all, [&](const QosSpec& one) { return !one.gone && one.name == name; }) -
            all.begin());
    };
    for (std::size_t first = 0; first < all.size(); ++first) {
        if (all[first].gone) continue;
        std::vector<bool> reached(all.size());
        std::vector<std::size_t> open = {first};
        while (!open.empty()) {
            const QosSpec& one = all[open.back()];
            open.pop_back();
            for (const std::string& name : one.preempt) {
                const std::size_t next = find(name);
                if (next == first) return all[first].name;
                if (next == all.size() || reached[next]) continue;
                reached[next] = true;
                open.push_back(next);
            }
        }
    }
    return std::nullopt;
}

}  // namespace berth
