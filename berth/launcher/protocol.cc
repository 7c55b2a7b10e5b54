#include "berth/launcher/protocol.h"

#include <array>

#include "berth/base/assert.h"

namespace berth {
namespace {

constexpr std::size_t kHeader = 4;

}  // namespace

std::optional<LauncherEvent> launcher_event(const AgentEvent& event) {
    return std::visit(
        [](const auto& one) -> std::optional<LauncherEvent> {
            using Kind = std::decay_t<decltype(one)>;
            if constexpr (std::is_constructible_v<LauncherEvent, Kind>) {
                return LauncherEvent(one);
            } else if constexpr (std::is_same_v<Kind, FaultsSeen>) {
                return LauncherEvent(FaultsTold{one.faults});
            } else {
                return std::nullopt;
            }
        },
        event);
}

std::optional<AgentEvent> agent_event(LauncherEvent event) {
    if (auto* const told = std::get_if<FaultsTold>(&event))
        return FaultsSeen{std::move(told->faults)};
    return std::visit(
        [](auto&& one) -> std::optional<AgentEvent> {
            using Kind = std::decay_t<decltype(one)>;
            if constexpr (std::is_constructible_v<AgentEvent, Kind>) {
                return AgentEvent(std::forward<decltype(one)>(one));
            } else {
                return std::nullopt;
            }
        },
        std::move(event));
}

std::string framed(std::string_view bytes) {
    BERTH_ASSERT(bytes.size() <= kFrameBytesMax);
    std::string frame;
    frame.reserve(kHeader + bytes.size());
    for (std::size_t i = 0; i < kHeader; ++i)
        frame.push_back(static_cast<char>(bytes.size() >> (8 * i) & 0xff));
    frame += bytes;
    return frame;
}

Result<std::optional<std::string>> Frames::next() {
    const std::string_view rest = std::string_view(room_).substr(taken_);
    std::size_t size = 0;
    if (rest.size() >= kHeader) {
        for (std::size_t i = 0; i < kHeader; ++i)
            size |= static_cast<std::size_t>(static_cast<unsigned char>(rest[i])) << (8 * i);
        if (size > kFrameBytesMax) {
            return Error{ErrorCode::invalid_argument,
                         "a frame of " + std::to_string(size) + " bytes is too large: " +
                             std::to_string(kFrameBytesMax) + " are the most"};
        }
    }
    if (rest.size() < kHeader || rest.size() - kHeader < size) {
        room_.erase(0, taken_);
        taken_ = 0;
        return std::optional<std::string>();
    }
    std::optional<std::string> frame(rest.substr(kHeader, size));
    taken_ += kHeader + size;
    return frame;
}

}  // namespace berth
