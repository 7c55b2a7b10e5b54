// StepOutput: what the tasks write, line by line on srun's own output, and how each of them ended.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "berth/model/step_io.h"

namespace berth::slurm {

class StepOutput {
public:
    struct Style {
        bool label = false;       // "3: " before each line.
        bool unbuffered = false;  // As it comes, and not line by line.
        std::uint32_t tasks = 1;
    };
    StepOutput(Style style, std::ostream& out, std::ostream& err)
        : style_(style), out_(out), err_(err) {}

    void write(const StepFrame& frame);  // An out or err frame.
    void task_ended(std::uint32_t task, ExitStatus exit);
    void flush();  // Whatever has no line end yet.

    // srun's exit code: the highest of the tasks', 128 + signal where one was killed.
    int exit_code() const;

    // "srun: error: gpu1: tasks 0-3: Exited with exit code 3", tasks of a node that ended alike
    // together.
    void print_failures(const std::vector<std::string>& node_of_task, std::ostream& to) const;

    std::size_t ended() const { return ends_.size(); }

private:
    void print_line(std::ostream& stream, std::uint32_t task, std::string_view line) const;

    Style style_;
    std::ostream& out_;
    std::ostream& err_;
    std::map<std::pair<std::uint32_t, bool>, std::string>
        partial_;  // By task, and whether it is stderr.
    std::map<std::uint32_t, ExitStatus> ends_;
};

}  // namespace berth::slurm
