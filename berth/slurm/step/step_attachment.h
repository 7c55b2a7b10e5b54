// StepAttachment: a connection to the srun of a running step, beside the shepherds': what its tasks
// write comes by it from now on, and what they are to read goes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/model/step_io.h"

namespace berth::slurm {

inline constexpr std::uint32_t kAttached = 0xffffffff;  // What our hello says for a node.
// A peer (srun, a shepherd) that takes nothing for this long is gone.
inline constexpr int kSendMilliseconds = 60'000;

class StepAttachment {
public:
    static Result<StepAttachment> to(const std::string& address, const std::string& token);
    StepAttachment(StepAttachment&&) noexcept;
    StepAttachment& operator=(StepAttachment&&) noexcept;
    ~StepAttachment();

    // Waits for the next frame of srun's or for something to read at `input` (-1: none). nullopt
    // where there is only something to read.
    struct Heard {
        std::optional<StepFrame> frame;
        bool over = false;  // srun is gone.
    };
    Heard wait(int input);
    // False: srun is gone, or takes nothing.
    bool send_input(std::uint32_t task, std::string_view bytes);

private:
    struct State;
    explicit StepAttachment(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace berth::slurm
