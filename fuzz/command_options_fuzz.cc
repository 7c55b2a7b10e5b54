// Every option of sbatch, srun and salloc, with any value: a line each, the option by its first
// byte. The formats in which squeue, sinfo and sacct are asked to print, and files for sacctmgr
// load.
#include <cstdint>
#include <string>

#include "berth/base/assert.h"
#include "berth/base/text.h"
#include "berth/slurm/admin/sacctmgr_load.h"
#include "berth/slurm/options/job_options.h"
#include "berth/slurm/options/option_values.h"
#include "berth/slurm/step/component_runs.h"
#include "berth/slurm/tables/sacct_fields.h"
#include "berth/slurm/tables/squeue_fields.h"
#include "berth/slurm/tables/squeue_order.h"
#include "berth/slurm/text/columns.h"

namespace berth::slurm {
namespace {

void check_options(std::string_view text) {
    JobDraft draft;
    const auto rows = job_options();
    for (const std::string_view line : split(text, '\n')) {
        if (line.empty()) continue;
        const auto& row = rows[static_cast<unsigned char>(line[0]) % rows.size()];
        const std::string value(line.substr(1));
        (void)apply_option(row, draft, row.argument == no_argument ? nullptr : value.c_str());
    }
    (void)check_together(draft);
}

void check_formats(std::string_view text) {
    (void)parse_percent_format(text);
    (void)parse_warning(text);
    const auto groups = parse_groups(std::string(text));
    BERTH_ASSERT(!groups.ok() || (groups->size() <= 128 && groups->back() < 128));
    const PercentFormat format = parse_long_format(text);
    for (const FormatItem& item : format.items) {
        (void)find_long_field(item.name);
        (void)letter_of_long_name(item.name, false);
        (void)find_accounting_field(item.name);
        if (item.width.value_or(0) > 1000) continue;
        BERTH_ASSERT(!item.width || cell(text, item.width, item.right).size() >= *item.width);
        BERTH_ASSERT(!item.width ||
                     cell_with_plus(text, *item.width, item.right).size() >= *item.width);
    }
    std::vector<api::JobRow> jobs(3);
    (void)sort_jobs(jobs, text);
}

void check_load(std::string_view text) {
    AccountingView view{.cluster = "lab", .host = "host"};
    view.associations = {{.account = "root"}, {.account = "bio", .parent = "root"}};
    view.qos = {{.name = "normal"}, {.name = "high"}};
    for (const bool clean : {false, true}) {
        const auto plan = plan_load(view, text, {.clean = clean});
        BERTH_ASSERT(plan.ok() || !plan.error().message.empty());
    }
}

}  // namespace
}  // namespace berth::slurm

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    if (bytes[0] % 4 == 0) {
        berth::slurm::check_formats(text);
    } else if (bytes[0] % 4 == 3) {
        berth::slurm::check_load(text);
    } else {
        berth::slurm::check_options(text);
    }
    return 0;
}
