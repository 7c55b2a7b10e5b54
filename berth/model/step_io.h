// StepIo: the frames in which a step's shepherd and its srun exchange the tasks' input and output.
//
// srun listens on a TCP port; the shepherd of each node connects and says hello with the token that
// came with the step. Then: output and task ends to srun, input to the shepherd. A frame is one
// byte of kind, four of task rank, four of length (both big-endian), and the bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/model/exit_status.h"

namespace berth {

enum class FrameKind : std::uint8_t {
    hello = 1,     // Shepherd → srun, first: the token. Rank: the node's index in the step.
    out = 2,       // A task's standard output …
    err = 3,       // … and its standard error.
    task_end = 4,  // code and signal, each four bytes.
    node_end = 5,  // All tasks of this node have ended, and all their output has been sent.
    input = 6,     // srun → shepherd: standard input for the task, or for all (kAllTasks).
    input_end = 7,
};

inline constexpr std::uint32_t kAllTasks = 0xffffffff;
inline constexpr std::size_t kFrameBytesMax =
    256 * 1024;  // Of one frame; a longer one is not ours.

struct Frame {
    FrameKind kind = FrameKind::out;
    std::uint32_t task = 0;
    std::string bytes;
    friend bool operator==(const Frame&, const Frame&) = default;
};

// REQUIRES: frame.bytes is not longer than kFrameBytesMax.
std::string encode_frame(const Frame& frame);

Frame task_end_frame(std::uint32_t task, ExitStatus exit);
std::optional<ExitStatus> exit_of(const Frame& frame);  // nullopt: not a well-formed task_end.

// Puts frames together from bytes as they come.
class FrameReader {
public:
    void add(std::string_view bytes) { pending_.append(bytes); }
    std::optional<Frame> next();           // nullopt: not all there yet, or wrong().
    bool wrong() const { return wrong_; }  // Not this protocol: close the connection.

private:
    std::string pending_;
    std::size_t at_ = 0;
    bool wrong_ = false;
};

}  // namespace berth
