// File patterns: "slurm-%A_%a.out" and the name it stands for, by Slurm's rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/model/ids.h"

namespace berth {

// What the letters stand for. Where nothing is known, as of a task in a batch script, it is 0.
struct FilePatternValues {
    JobId job{0};
    std::optional<JobId> array_job;
    std::optional<std::uint32_t> array_task;
    std::optional<StepId> step;  // Without it %s is "batch", and %J the job alone.
    std::string job_name, user;
    std::string node;              // Short: up to the first dot.
    std::uint32_t node_index = 0;  // Within the job.
    std::uint32_t task = 0;
    std::uint32_t restarts = 0;
};

// %A array's job id, %a array task, %b that modulo 10, %J job.step, %j job, %N node, %n node index,
// %r restarts, %s step, %t task rank, %u user, %x job name, %% a percent sign. "%4j" pads with
// zeroes, to 10 at most. A backslash anywhere switches patterns off, and is itself left out. What
// is no pattern stays as it is.
std::string expand_file_pattern(std::string_view pattern, const FilePatternValues& values);

// Whether the pattern differs by this letter: "out.%03t" by 't'.
bool file_pattern_has(std::string_view pattern, char letter);

// Of a step with so many tasks: "3" is its task 3, and a file's name if it has no such task.
std::optional<std::uint32_t> task_of_pattern(std::string_view pattern, std::uint32_t tasks);

// "slurm-%j.out", or "slurm-%A_%a.out" for the task of an array.
std::string_view default_output_pattern(bool array_task);

// An output file's path: the pattern (or the default) filled in, below `work_dir` unless it is
// absolute. "" stays "".
std::string expand_output_path(std::string_view pattern, const std::string& work_dir,
                               const FilePatternValues& values);

}  // namespace berth
