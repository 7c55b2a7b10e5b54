// MpiLink: an MPI server's end of what it and its shepherd say to each other, frames of step_io.h.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "berth/model/step_io.h"
#include "berth/mpi/mpi_step.h"

namespace berth {

class MpiLink {
public:
    explicit MpiLink(int fd) : fd_(fd) {}
    int fd() const { return fd_; }

    // The shepherd's first word. nullopt: it is gone, or says something else.
    std::optional<MpiStep> greet();
    void answer(const MpiReady& ready) {
        send(encode_frame(StepFrameKind::mpi_ready, 0, encode_ready(ready)));
    }

    // Waits until all is written: the shepherd always comes to read. From any thread.
    void send(const std::string& frames);
    // The next frame, waiting for it if `wait`. nullopt: there is none, and is_open() says whether
    // one may come.
    std::optional<StepFrame> receive(bool wait);
    bool is_open() const { return open_; }

private:
    static std::string encode_ready(const MpiReady& ready);

    int fd_;
    bool open_ = true;
    StepFrameReader reader_;
    std::mutex sending_;
};

}  // namespace berth
