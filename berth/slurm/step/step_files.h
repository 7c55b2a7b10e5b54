// StepFiles: the files of a step that srun writes itself: each that is one file for all tasks. One
// writer and one truncation, so that no node takes away what another has written. A name that
// differs by task or node (%t, %n, %N) is opened there.
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

    // Opens those of the call's files that are srun's, as far as their names are known before the
    // step is; what is in them stays. In the call, their output then comes to srun.
    Status prepare(api::StepCall& call, JobLook& look);
    // The step exists: opens the rest, and truncates all, unless the reply says to append.
    Status begin(const api::StepReply& reply);

    // Where a task's output goes: a file, or what srun would write it to.
    std::ostream& out(std::ostream& otherwise);
    std::ostream& err(std::ostream& otherwise);
    // What could not be written; empty: nothing.
    std::string failure() const;

private:
    struct OneFile;
    Status prepare_one(std::string& pattern, const char* what, JobLook& look,
                       std::unique_ptr<OneFile>& file);
    std::string path_of(const std::string& pattern, const StepId* step) const;

    std::string job_;
    api::JobRow row_;  // Where a name asks for more than the job's id.
    std::unique_ptr<OneFile> out_, err_;
    bool joined_ = false;  // Errors are in the output's file.
};

// "a.out", "%j.log": but neither "none", "all", a task's number, nor what differs by task or node.
bool is_one_file(const std::string& pattern);

}  // namespace berth::slurm
