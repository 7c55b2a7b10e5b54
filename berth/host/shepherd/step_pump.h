// StepPump: carries the standard streams of a step's tasks between their pipes and the srun that
// listens. If srun is gone, output is thrown away, so that no task ever hangs on it.
#pragma once

#include <poll.h>

#include <memory>
#include <string>
#include <vector>

#include "berth/host/shepherd/secure_peer.h"
#include "berth/host/shepherd/task_child.h"
#include "berth/model/step_io.h"

namespace berth {

class StepPump {
public:
    // `secure` is for an srun on another host; nullptr: this program has none.
    explicit StepPump(SecureSocket secure = nullptr) : secure_(secure) {}

    // Connects and says hello. Nobody there is an error: the step is then not started.
    Status connect(const RunSpec& run);

    // The child's ends of the pipes, or of the terminal, that this task needs.
    Result<TaskPipes> add(const RunSpec& run, const TaskSpec& task);

    // What to wait for, and what to do once poll(2) has looked. The pump's entries are appended;
    // `first` is where they begin.
    void want(std::vector<pollfd>& waiting) const;
    void serve(const std::vector<pollfd>& waiting, std::size_t first);

    // What the task has written until now goes before the news of its end.
    void task_ended(std::uint32_t rank, const ExitStatus& exit);
    // A line of ours on a task's standard error.
    void say(std::uint32_t rank, std::string_view text);

    // What passes between the MPI server of this node and srun. Its tasks' input must not hold that
    // up, so srun is told to wait with it where they are behind.
    void pass_on_for(UniqueFd mpi_server);
    // No task runs any more. The server ends, and what it still has to say goes first.
    void end_mpi();

    // To be called once no task is left: says farewell when all is sent. srun then closes, which is
    // waited for: a connection that we closed on what srun may still send would be reset, and what
    // srun has not read yet be lost.
    void leave();
    // Nothing is left to carry, and srun knows; in as far as anyone listens.
    bool idle() const { return !peer_; }
    std::uint64_t carried() const { return carried_; }  // Bytes ever: shows whether it moves.

private:
    struct Stream {
        std::uint32_t rank = 0;
        StepFrameKind kind = StepFrameKind::standard_out;
        UniqueFd fd;        // Our end.
        std::string input;  // For standard_in: not yet written.
        bool ending = false;
        bool terminal = false;
    };

    Status add_terminal(const RunSpec& run, std::uint32_t rank, UniqueFd& their_end);
    void resize(const StepFrame& frame);

    void read_mpi();
    void write_mpi();
    void lose_mpi();
    void tell_hold();

    void read_output(Stream& stream);
    void write_input(Stream& stream);
    void read_peer();
    bool read_frames();
    void write_peer();
    void take(const StepFrame& frame);
    void lose_peer();
    void queue(std::string_view bytes);
    bool full() const;
    bool input_over(std::size_t bytes) const;
    bool is_hearing() const;

    // As read(2) and send(2) of srun's connection, whether there is TLS or not.
    ssize_t read_peer_bytes(char* to, std::size_t size);
    ssize_t write_peer_bytes(const char* from, std::size_t size);

    bool all_sent() const;
    Status secure_peer(const RunSpec& run);

    UniqueFd peer_;
    bool leaving_ = false;  // What comes now is of no use.
    SecureSocket secure_;
    std::unique_ptr<SecurePeer> tls_;  // Where srun is on another host. Goes before peer_.
    StepFrameReader frames_;
    std::string outgoing_;
    std::size_t sent_ = 0;  // Of outgoing_.
    std::vector<Stream> streams_;
    std::uint64_t carried_ = 0;

    UniqueFd mpi_;  // To the MPI server, if there is one.
    StepFrameReader mpi_frames_;
    std::string to_mpi_;
    bool has_mpi_ = false, holding_ = false;
};

}  // namespace berth
