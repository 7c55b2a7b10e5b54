// StepOutput: writes the tasks' output line by line to srun's own streams, and collects how each
// task ended.
#pragma once

#include <iosfwd>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/model/step_io.h"

namespace berth::slurm {

// Whether a node says on the step's standard error that the step is ended before its time.
bool is_end_notice(const StepFrame& frame);

class StepOutput {
public:
    struct Style {
        bool label = false;       // "3: " before each line.
        bool unbuffered = false;  // Writes data as it arrives, not line by line.
        std::uint32_t tasks = 1;
    };
    StepOutput(Style style, std::ostream& out, std::ostream& err)
        : style_(style), out_(out), err_(err) {}

    void write(const StepFrame& frame);  // An out or err frame.
    void task_ended(std::uint32_t task, ExitStatus exit);
    void flush();  // Writes incomplete lines.

    // srun's exit code: the highest of the tasks', 128 + signal for a killed one.
    int exit_code() const;

    // "srun: error: gpu1: tasks 0-3: Exited with exit code 3", with the tasks of a node that ended
    // alike on one line; each task once.
    void print_failures(const std::vector<std::string>& node_of_task, std::ostream& to);

    std::size_t ended() const { return ends_.size(); }

private:
    void print_line(std::ostream& stream, std::uint32_t task, std::string_view line) const;

    Style style_;
    std::ostream& out_;
    std::ostream& err_;
    std::map<std::pair<std::uint32_t, bool>, std::string>
        partial_;  // By task, and whether it is stderr.
    std::map<std::uint32_t, ExitStatus> ends_;
    std::set<std::uint32_t> printed_;  // Tasks whose end print_failures() has looked at.
};

}  // namespace berth::slurm
