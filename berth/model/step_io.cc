#include "berth/model/step_io.h"

#include "berth/base/assert.h"

namespace berth {
namespace {

constexpr std::size_t kHeaderBytes = 9;

void put_word(std::string& bytes, std::uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(word >> shift));
}

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
    std::uint32_t word = 0;
    for (std::size_t i = at; i < at + 4; ++i)
        word = (word << 8) | static_cast<unsigned char>(bytes[i]);
    return word;
}

}  // namespace

std::string encode_frame(const Frame& frame) {
    BERTH_ASSERT(frame.bytes.size() <= kFrameBytesMax);
    std::string bytes(1, static_cast<char>(frame.kind));
    put_word(bytes, frame.task);
    put_word(bytes, static_cast<std::uint32_t>(frame.bytes.size()));
    return bytes + frame.bytes;
}

Frame task_end_frame(std::uint32_t task, ExitStatus exit) {
    Frame frame{.kind = FrameKind::task_end, .task = task, .bytes = {}};
    put_word(frame.bytes, static_cast<std::uint32_t>(exit.code));
    put_word(frame.bytes, static_cast<std::uint32_t>(exit.signal));
    return frame;
}

std::optional<ExitStatus> exit_of(const Frame& frame) {
    if (frame.kind != FrameKind::task_end || frame.bytes.size() != 8) return std::nullopt;
    return ExitStatus{.code = static_cast<std::int32_t>(word_at(frame.bytes, 0)),
                      .signal = static_cast<std::int32_t>(word_at(frame.bytes, 4))};
}

std::optional<Frame> FrameReader::next() {
    const std::string_view rest = std::string_view(pending_).substr(at_);
    if (wrong_ || rest.size() < kHeaderBytes) return std::nullopt;
    const auto kind = static_cast<std::uint8_t>(rest[0]);
    const std::size_t length = word_at(rest, 5);
    wrong_ = kind < 1 || kind > 7 || length > kFrameBytesMax;
    if (wrong_ || rest.size() < kHeaderBytes + length) return std::nullopt;
    Frame frame{.kind = static_cast<FrameKind>(kind),
                .task = word_at(rest, 1),
                .bytes = std::string(rest.substr(kHeaderBytes, length))};
    at_ += kHeaderBytes + length;
    if (at_ > kFrameBytesMax) pending_.erase(0, at_), at_ = 0;
    return frame;
}

}  // namespace berth
