// StepFiles: the output files of a step that srun writes itself, namely those that all tasks share.
// One writer and one truncation, so that no node destroys what another has written. Files whose
// name differs by task or node (%t, %n, %N) are opened on the nodes.
#pragma once

#include <memory>
#include <ostream>
#include <string>

#include "berth/api/messages.h"
#include "berth/base/result.h"
#include "berth/slurm/step/job_look.h"

namespace berth::slurm {

class StepFiles {
public:
    explicit StepFiles(std::string job);
    ~StepFiles();
    StepFiles(const StepFiles&) = delete;
    StepFiles& operator=(const StepFiles&) = delete;

    // Opens srun's files among those of the call, if their names are known before the step exists,
    // without truncating them. Changes the call so that their output comes to srun.
    Status prepare(api::StepCall& call, JobLook& look);
    // To be called once the step exists: opens the rest, and truncates all, unless the reply says
    // to append.
    Status begin(const api::StepReply& reply);

    // The destination of a task's output: a file, or srun's own stream.
    std::ostream& out(std::ostream& otherwise);
    std::ostream& err(std::ostream& otherwise);
    // The error of a failed write; empty: none.
    std::string failure() const;

private:
    struct OneFile;
    Status prepare_one(std::string& pattern, const char* what, JobLook& look,
                       std::unique_ptr<OneFile>& file);
    std::string path_of(const std::string& pattern, const StepId* step) const;

    std::string job_;
    api::JobRow row_;  // For names that need more than the job's id.
    std::unique_ptr<OneFile> out_, err_;
    bool joined_ = false;  // Standard error goes to the output's file.
};

// Parts of one srun (a : b) may name the same file: the first of them truncates it, the others
// append. They are processes, which must be forked after this call.
void share_truncations();

// "a.out", "%j.log": but neither "none", "all", the number of one of the step's tasks, nor what
// differs by task or node.
bool is_one_file(const std::string& pattern, std::uint32_t tasks);

// Whether an input is srun's own, for all tasks or one: "", "all", a task's number.
bool is_from_srun(const std::string& pattern, std::uint32_t tasks);

}  // namespace berth::slurm
