// The values of options: whatever the text, no crash and no hang, and counts within their bounds.
#include "berth/base/assert.h"
#include "berth/slurm/admin/scontrol_update.h"
#include "berth/slurm/options/acting_user.h"
#include "berth/slurm/options/batch_script.h"
#include "berth/slurm/options/layout_options.h"
#include "berth/slurm/options/near_options.h"
#include "berth/slurm/options/option_values.h"
#include "berth/slurm/options/step_options.h"
#include "berth/slurm/step/multi_prog.h"
#include "berth/slurm/tables/sacct_filter.h"
#include "berth/slurm/text/columns.h"
#include "berth/slurm/text/when.h"

namespace berth::slurm {

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    (void)parse_node_count(text);  // What is none or backwards is refused where it is used.
    if (size < 64) (void)parse_array(text);
    (void)parse_gres_list(text);
    (void)parse_gpu_list(text);
    (void)parse_signal(text);
    (void)parse_when(text, berth::Time{});
    (void)parse_percent_format(text);
    (void)parse_update({text}, berth::Time{});
    (void)check_script(text);
    (void)multi_prog_command(text, 4, "programs", {});
    SacctFilter filter;
    (void)filter.set_groups(text.c_str());
    (void)filter.set_cpus(text.c_str());
    (void)filter.set_time_least(text.c_str());
    JobDraft draft;
    for (const auto set : {set_switches,
                           set_segment,
                           set_distribution,
                           set_affinity,
                           set_anti_affinity,
                           set_gpu_memory,
                           set_compute_capability,
                           set_prefer,
                           set_accel_bind,
                           set_mem_bind,
                           set_profile,
                           set_relative,
                           set_hint,
                           set_gpus_per_socket,
                           set_tasks_per_core,
                           set_tasks_per_socket,
                           set_cpu_bind,
                           set_gres_flags,
                           set_uid,
                           set_gid}) {
        (void)set(draft, text.c_str());
    }
    for (const Directive& directive : directives_of(text)) BERTH_ASSERT(!directive.words.empty());
    return 0;
}

}  // namespace berth::slurm
