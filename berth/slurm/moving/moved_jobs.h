// The jobs of `scontrol show job -o` as submissions to this cluster: the options of sbatch that
// each record stands for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/base/time.h"
#include "berth/slurm/moving/remark.h"

namespace berth::slurm {

enum class MovedState : unsigned char {
    no,       // No jobs.
    jobs,     // Those that wait.
    running,  // Also those that run and may be requeued: they begin again, held.
};

struct MovedJob {
    std::uint32_t id = 0;        // Slurm's; of an array, its first record's.
    std::uint32_t array_id = 0;  // 0: no array.
    std::size_t line = 0;
    std::string user;  // As Slurm names it, and by what number.
    std::uint32_t uid = 0;
    std::string script_name;                                 // "train.sh"
    std::string script;                                      // Its text.
    std::vector<std::string> arguments;                      // Of the script.
    std::vector<std::pair<std::string, std::string>> given;  // "time" and "1:00:00"; flags: empty.
    std::string dependency;  // "afterok:12(unfulfilled)": with Slurm's ids.

    std::vector<std::string> options() const;  // "--time=1:00:00", without the dependency.
};

// Who owns which job, as `squeue -h -o "%A|%u"` prints it. Nobody but Slurm has a say in this
// text, whereas records have texts that users chose.
using JobOwners = std::map<std::uint32_t, std::string>;
Result<JobOwners> read_job_owners(std::string_view text);

struct JobTexts {
    std::string_view records;
    JobOwners owners;
    std::map<std::uint32_t, std::string> scripts;  // By the job's id.
};

struct MovedJobs {
    std::vector<MovedJob> jobs;  // In the order of their ids: what is waited for comes first.
    Remarks remarks;
};

MovedJobs read_moved_jobs(const JobTexts& texts, MovedState state, Time now);

// The dependency with the ids that the jobs have here; an error names one that has none.
Result<std::string> moved_dependency(std::string_view shown,
                                     const std::map<std::uint32_t, std::string>& ids);

}  // namespace berth::slurm
