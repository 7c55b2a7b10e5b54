#include "berth/model/step_io.h"

#include <algorithm>

#include "berth/base/codec.h"

namespace berth {
namespace {

constexpr std::string_view kMagic = "BIO";  // And the kind, in the first four bytes.

void put_u32(std::string& out, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        out.push_back(static_cast<char>((number >> shift) & 0xff));
    }
}

std::uint32_t u32_at(std::string_view bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    }
    return number;
}

// Looks at every byte whatever it finds, so that the time taken tells nothing.
bool same_secret(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned differ = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        differ |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^
                                        static_cast<unsigned char>(b[i]));
    }
    return differ == 0;
}

Error not_ours(std::string_view what) {
    return {ErrorCode::invalid_argument, "step I/O: " + std::string(what)};
}

}  // namespace

std::string task_label(std::uint32_t task, std::uint32_t tasks) {
    const std::string rank = std::to_string(task);
    const std::size_t width = std::to_string(std::max(1U, tasks) - 1).size();
    return std::string(width - std::min(width, rank.size()), ' ') + rank + ": ";
}

std::string encode_frame(StepFrameKind kind, std::uint32_t task, std::string_view bytes) {
    BERTH_ASSERT(bytes.size() <= kStepFrameBytesMax);
    std::string out(kMagic);
    out.reserve(kStepFrameHeaderBytes + bytes.size());
    out.push_back(static_cast<char>(kind));
    put_u32(out, task);
    put_u32(out, static_cast<std::uint32_t>(bytes.size()));
    out += bytes;
    return out;
}

std::string encode_frames(StepFrameKind kind, std::uint32_t task, std::string_view bytes) {
    std::string out;
    do {
        const std::string_view part = bytes.substr(0, kStepFrameBytesMax);
        bytes.remove_prefix(part.size());
        out += encode_frame(kind, task, part);
    } while (!bytes.empty());
    return out;
}

std::string encode_hello(const StepHello& hello) {
    return encode_frame(StepFrameKind::hello, 0, encode(hello));
}

std::string encode_exit(std::uint32_t task, const ExitStatus& exit) {
    return encode_frame(StepFrameKind::task_exit, task, encode(exit));
}

std::string encode_window(const TerminalSize& size) {
    return encode_frame(StepFrameKind::window_size, kAllTasks, encode(size));
}

std::string encode_exchange(const std::string& key, const std::vector<std::uint32_t>& nodes,
                            std::string_view bytes) {
    constexpr std::size_t kPart = kStepFrameBytesMax / 2;  // The rest is for the key and the nodes.
    std::string out;
    do {
        ExchangePart part{.key = key, .nodes = nodes, .bytes = std::string(bytes.substr(0, kPart))};
        bytes.remove_prefix(part.bytes.size());
        part.last = bytes.empty();
        out += encode_frame(StepFrameKind::exchange, 0, encode(part));
    } while (!bytes.empty());
    return out;
}

std::string encode_hold(bool hold) {
    return encode_frame(StepFrameKind::input_hold, 0, std::string(1, hold ? '\1' : '\0'));
}

Result<std::optional<StepFrame>> StepFrameReader::next() {
    const std::string_view rest = std::string_view(buffer_).substr(used_);
    if (rest.size() < kStepFrameHeaderBytes) {
        buffer_.erase(0, used_);
        used_ = 0;
        return std::optional<StepFrame>();
    }
    const auto kind = static_cast<unsigned char>(rest[kMagic.size()]);
    if (!rest.starts_with(kMagic) || kind < static_cast<unsigned>(StepFrameKind::hello) ||
        kind > static_cast<unsigned>(kLastFrameKind)) {
        return not_ours("these bytes are no frame");
    }
    const std::uint32_t length = u32_at(rest, 8);
    if (length > kStepFrameBytesMax) {
        return not_ours("a frame of " + std::to_string(length) + " bytes; " +
                        std::to_string(kStepFrameBytesMax) + " are the most");
    }
    if (rest.size() < kStepFrameHeaderBytes + length) return std::optional<StepFrame>();
    StepFrame frame;
    frame.kind = static_cast<StepFrameKind>(kind);
    frame.task = u32_at(rest, 4);
    frame.bytes = rest.substr(kStepFrameHeaderBytes, length);
    used_ += kStepFrameHeaderBytes + length;
    return std::optional<StepFrame>(std::move(frame));
}

Result<StepHello> read_hello(const StepFrame& frame, std::string_view token) {
    if (frame.kind != StepFrameKind::hello) return not_ours("the first frame is no hello");
    auto hello = decode<StepHello>(frame.bytes, kMessageRoom);
    if (!hello.ok()) return not_ours("a hello that cannot be read");
    if (hello->version != 1) {
        return not_ours("version " + std::to_string(hello->version) + "; this is version 1");
    }
    if (token.empty() || !same_secret(hello->token, token)) {
        return Error{ErrorCode::permission_denied, "step I/O: not the token of this step"};
    }
    return hello;
}

Result<ExitStatus> read_exit(const StepFrame& frame) {
    if (frame.kind != StepFrameKind::task_exit) return not_ours("not the frame of an exit");
    auto exit = decode<ExitStatus>(frame.bytes, kMessageRoom);
    if (!exit.ok()) return not_ours("an exit status that cannot be read");
    return exit;
}

Result<TerminalSize> read_window(const StepFrame& frame) {
    if (frame.kind != StepFrameKind::window_size) return not_ours("not the frame of a window");
    auto size = decode<TerminalSize>(frame.bytes, kMessageRoom);
    if (!size.ok()) return not_ours("a window size that cannot be read");
    return size;
}

Result<ExchangePart> read_exchange(const StepFrame& frame) {
    if (frame.kind != StepFrameKind::exchange) return not_ours("not the frame of an exchange");
    auto part = decode<ExchangePart>(frame.bytes, kMessageRoom);
    if (!part.ok()) return not_ours("an exchange that cannot be read");
    return part;
}

}  // namespace berth
