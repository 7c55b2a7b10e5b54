// MpiLink: the MPI server's end of its connection to the shepherd; frames as in step_io.h.
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

    // Receives the shepherd's first message. nullopt: the shepherd is gone, or sent something else.
    std::optional<MpiStep> greet();
    void answer(const MpiReady& ready) {
        send(encode_frame(StepFrameKind::mpi_ready, 0, encode_ready(ready)));
    }

    // Blocks until all is written: the shepherd always reads. May be called from any thread.
    void send(const std::string& frames);
    // The next frame; if `wait`, blocks until there is one. nullopt: there is none; is_open() tells
    // whether one may still come.
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
