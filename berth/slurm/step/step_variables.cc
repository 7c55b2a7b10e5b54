#include "berth/slurm/step/step_variables.h"

#include <array>
#include <cstdio>

namespace berth::slurm {
namespace {

// Slurm gives each node a task in turn where none gets two.
const char* order_of(const TopologyConstraint& near, bool one_each) {
    switch (near.task_order) {
        case TaskOrder::block: return "block";
        case TaskOrder::cyclic: return "cyclic";
        case TaskOrder::plane: return "plane";
        case TaskOrder::as_fits: break;
    }
    return one_each ? "cyclic" : "block";
}

std::string octal_text(std::uint32_t umask) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%04o", umask);
    return text.data();
}

}  // namespace

void add_step_variables(const JobDraft& draft, api::StepCall& call, std::uint32_t job_nodes) {
    const auto add = [&](const char* name, const std::string& value) {
        call.environment.push_back(name + ("=" + value));
    };
    const TopologyConstraint& near = draft.spec.request->nearness;
    const std::uint32_t nodes = call.request.nodes.value_or(job_nodes);
    add("SLURM_DISTRIBUTION", order_of(near, call.request.tasks <= nodes));
    if (near.task_order == TaskOrder::plane)
        add("SLURM_DIST_PLANESIZE", std::to_string(near.plane));
    if (draft.label) add("SLURM_LABELIO", "1");
    if (!draft.spec.name.empty()) add("SLURM_JOB_NAME", *draft.spec.name);
    if (call.inherited.umask) add("SLURM_UMASK", octal_text(*call.inherited.umask));
}

}  // namespace berth::slurm
