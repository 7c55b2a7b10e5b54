// StepPump: carries the standard streams of a step's tasks between their pipes and the listening
// srun. If srun is gone, output is discarded, so that no task ever blocks on it.
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
    // `secure` is for an srun on another host; nullptr: this program does not support that.
    explicit StepPump(SecureSocket secure = nullptr) : secure_(secure) {}

    // Connects to srun and says hello. If srun does not listen, this is an error and the step is
    // not started.
    Status connect(const RunSpec& run);

    // Creates the child's ends of the pipes, or of the terminal, that this task needs.
    Result<TaskPipes> add(const RunSpec& run, const TaskSpec& task);

    // The files of this task, which the pump writes, with a label before each line.
    void label(std::uint32_t rank, LabelledFiles files);

    // want() appends the pump's entries for poll(2); serve() handles them afterwards. `first`:
    // index of the pump's first entry.
    void want(std::vector<pollfd>& waiting) const;
    void serve(const std::vector<pollfd>& waiting, std::size_t first);

    // Sends the task's remaining output before its exit.
    void task_ended(std::uint32_t rank, const ExitStatus& exit);
    // Prints a line of ours on a task's standard error.
    void say(std::uint32_t rank, std::string_view text);

    // Carries messages between this node's MPI server and srun. Task input must not delay them, so
    // srun is told to hold input while tasks are slow to read it.
    void pass_on_for(UniqueFd mpi_server);
    // No task runs any more. The server ends; its remaining messages go first, before the exits of
    // tasks that are told from now on: srun leaves after the last.
    void end_mpi();
    bool mpi_is_over() const { return !mpi_; }
    void lose_mpi();  // Its messages are not waited for any longer.

    // Call once no task is left. Says farewell after everything is sent, then waits for srun to
    // close. Closing first would reset the connection if srun still sends, and lose what srun has
    // not read.
    void leave();
    // Nothing is left to carry and srun knows it, or srun is gone.
    bool idle() const { return !peer_; }
    // Total bytes carried; shows whether data still moves.
    std::uint64_t carried() const { return carried_; }

private:
    struct Stream {
        std::uint32_t rank = 0;
        StepFrameKind kind = StepFrameKind::standard_out;
        UniqueFd fd;        // Our end.
        std::string input;  // For standard_in: input not yet written.
        // A task's file: the label, the file until it cannot be written, and a line without an end.
        std::string label;
        UniqueFd file;
        std::string line;
        bool ending = false;
        bool terminal = false;
    };

    Status add_terminal(const RunSpec& run, std::uint32_t rank, UniqueFd& their_end);
    void resize(const StepFrame& frame);

    void read_mpi();
    void write_mpi();
    void tell_hold();

    void read_output(Stream& stream);
    void write_lines(Stream& stream, std::string_view bytes);
    void end_line(Stream& stream);
    void write_file(Stream& stream, std::string_view text);
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

    // As read(2) and send(2) on the connection to srun, with or without TLS.
    ssize_t read_peer_bytes(char* to, std::size_t size);
    ssize_t write_peer_bytes(const char* from, std::size_t size);

    bool all_sent() const;
    Status secure_peer(const RunSpec& run);

    UniqueFd peer_;
    bool leaving_ = false;  // Whatever arrives now is ignored.
    SecureSocket secure_;
    std::unique_ptr<SecurePeer> tls_;  // For an srun on another host. Destroyed before peer_.
    StepFrameReader frames_;
    std::string outgoing_;
    std::size_t sent_ = 0;  // Bytes of outgoing_ already sent.
    std::vector<Stream> streams_;
    std::uint64_t carried_ = 0;

    UniqueFd mpi_;  // The MPI server, if there is one.
    StepFrameReader mpi_frames_;
    std::string to_mpi_;
    std::string held_exits_;  // Told once the MPI server is over.
    bool has_mpi_ = false, mpi_ends_ = false, holding_ = false;
};

}  // namespace berth
