#include "berth/slurm/jobs/option_variables.h"

#include "berth/base/size_text.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/step/mem_bind_variables.h"

namespace berth::slurm {

Variables option_variables(const JobDraft& draft) {
    Variables all;
    const auto text = [&](const char* name, const std::string& value) {
        if (!value.empty()) all.emplace_back(name, value);
    };
    const auto number = [&](const char* name, std::optional<std::int64_t> value) {
        if (value) all.emplace_back(name, std::to_string(*value));
    };
    text(kSlurmCpuFreqReq, draft.of_step.cpu_frequency);
    text(kSlurmGpuFreq, draft.of_step.gpu_frequency);
    for (const auto& [name, value] : mem_bind_of_job(draft.of_step.binding.mem_bind))
        all.emplace_back(name, value);
    text(kSlurmHint, draft.of_cpus.hint_text);
    number(kSlurmNtasksPerGpu, draft.per_gpu.tasks);
    number(kSlurmCpusPerGpu, draft.per_gpu.cpus);
    if (draft.per_gpu.memory) number(kSlurmMemPerGpu, in_mib(*draft.per_gpu.memory));
    text(kSlurmNetwork, draft.of_submission.as_given.network);
    text(kSlurmTresPerTask, draft.of_submission.as_given.tres_per_task);
    if (draft.of_submission.as_given.no_profile) all.emplace_back(kSlurmProfile, "None");
    return all;
}

}  // namespace berth::slurm
