// Step I/O: what goes over the connection from a node's part of a step to the srun that shows its
// output. The step connects, says hello with the token, and frames follow in both directions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/result.h"
#include "berth/model/exit_status.h"

namespace berth {

enum class StepFrameKind : std::uint8_t {
    hello = 1,     // Step to srun, first and once: an encoded StepHello.
    standard_out,  // Step to srun: bytes a task wrote; none: it is closed.
    standard_error,
    standard_in,  // srun to step: bytes for a task, or for all; none: end of input.
    task_exit,    // Step to srun: an encoded ExitStatus. What the task wrote before came before.
    window_size,  // srun to step: an encoded TerminalSize, of the terminal before which it sits.
    // Of steps with an MPI server on each node (--mpi), whose words the shepherds pass on.
    exchange,    // Both ways: an encoded ExchangePart.
    to_node,     // Both ways: bytes for the server of one node. Its index is `task`; then the
                 // sender's.
    abort,       // Step to srun: this task gives up for all; why.
    input_hold,  // Step to srun: one byte, not 0 where its tasks are behind with their input.
    mpi_step,    // Shepherd to its server, first and once: an encoded MpiStep.
    mpi_ready,   // Server to shepherd, first and once: an encoded MpiReady.
};
inline constexpr StepFrameKind kLastFrameKind = StepFrameKind::mpi_ready;

// srun --pty: the first task's streams are a terminal of this size.
struct TerminalSize {
    std::uint32_t rows = 24, columns = 80;
    BERTH_FIELDS(TerminalSize, rows, columns)
};

inline constexpr std::uint32_t kAllTasks = 0xffffffff;
inline constexpr std::size_t kStepFrameBytesMax = 64 * 1024;
inline constexpr std::size_t kStepFrameHeaderBytes = 12;

struct StepFrame {
    StepFrameKind kind = StepFrameKind::hello;
    std::uint32_t task = 0;  // Its rank; kAllTasks.
    std::string bytes;
    friend bool operator==(const StepFrame&, const StepFrame&) = default;
};

struct StepHello {
    std::uint32_t version = 1;
    std::string token;             // LaunchStep::io_token.
    std::uint32_t node_index = 0;  // Within the step.
    std::vector<std::uint32_t> ranks;
    BERTH_FIELDS(StepHello, version, token, node_index, ranks)
};

// A piece of what a node gives to a collective of nodes, and then of what it came to: all that was
// given, in the order of the nodes. `key` says which collective; one after the other may have it.
struct ExchangePart {
    std::string key;
    std::vector<std::uint32_t> nodes;  // Who takes part; none: all of the step.
    bool last = false;                 // Nothing more from this node.
    std::string bytes;
    BERTH_FIELDS(ExchangePart, key, nodes, last, bytes)
};

// -l: what is before each line of this task, " 3: ", as wide as that of the last of `tasks`.
std::string task_label(std::uint32_t task, std::uint32_t tasks);

// As it goes over the wire. REQUIRES: at most kStepFrameBytesMax bytes.
std::string encode_frame(StepFrameKind kind, std::uint32_t task, std::string_view bytes);
// Any number of bytes, as frames of at most kStepFrameBytesMax each; none: one empty frame.
std::string encode_frames(StepFrameKind kind, std::uint32_t task, std::string_view bytes);
std::string encode_hello(const StepHello& hello);
std::string encode_exit(std::uint32_t task, const ExitStatus& exit);
std::string encode_window(const TerminalSize& size);
// Any number of bytes, in as many parts as they need.
std::string encode_exchange(const std::string& key, const std::vector<std::uint32_t>& nodes,
                            std::string_view bytes);
std::string encode_hold(bool hold);

// Takes bytes as they come and gives whole frames.
class StepFrameReader {
public:
    void add(std::string_view bytes) { buffer_ += bytes; }
    // nullopt: more bytes are needed. An error is for good: the connection speaks something else.
    Result<std::optional<StepFrame>> next();

private:
    std::string buffer_;
    std::size_t used_ = 0;  // Of the buffer.
};

// What the frames hold. A hello with another token than ours is refused without saying how near it
// was.
Result<StepHello> read_hello(const StepFrame& frame, std::string_view token);
Result<ExitStatus> read_exit(const StepFrame& frame);
Result<TerminalSize> read_window(const StepFrame& frame);
Result<ExchangePart> read_exchange(const StepFrame& frame);

}  // namespace berth
