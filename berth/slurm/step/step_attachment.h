// StepAttachment: sattach's connection to the srun of a running step: carries the tasks' output
// from now on, and input to them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/model/step_io.h"

namespace berth::slurm {

inline constexpr std::uint32_t kAttached = 0xffffffff;  // The node index in our hello.
// A peer (srun, a shepherd) that reads nothing for this long is considered gone.
inline constexpr int kSendMilliseconds = 60'000;

class StepAttachment {
public:
    static Result<StepAttachment> to(const std::string& address, const std::string& token);
    StepAttachment(StepAttachment&&) noexcept;
    StepAttachment& operator=(StepAttachment&&) noexcept;
    ~StepAttachment();

    // Waits for the next frame from srun, or until `input` is readable (-1: none); nullopt in the
    // second case.
    struct Heard {
        std::optional<StepFrame> frame;
        bool over = false;  // srun is gone.
    };
    Heard wait(int input);
    // False: srun is gone, or does not read.
    bool send_input(std::uint32_t task, std::string_view bytes);

private:
    struct State;
    explicit StepAttachment(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace berth::slurm
