// What a Slurm site prints of itself, for `berth import slurm`: any text is read or refused, never
// a crash. Whatever is to be imported can be written down: options that sbatch takes, and lines
// that are in the text.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "berth/base/assert.h"
#include "berth/cli/import_plan.h"
#include "berth/slurm/moving/moved_job_options.h"

namespace {

using berth::config::ConfigText;

constexpr const char* kSite =
    "ClusterName=lab\nNodeName=n[1-2] CPUs=8 RealMemory=8000\nPartitionName=main Nodes=ALL\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    berth::cli::ImportTexts texts;
    texts.config.slurm = ConfigText{"slurm.conf", kSite};
    texts.qos = ConfigText{"qos", text};
    texts.accounts = ConfigText{"accounts", text};
    texts.reservations = ConfigText{"reservations", text};
    texts.usage = ConfigText{"usage", text};
    texts.jobs = ConfigText{"jobs", text};
    texts.owners = ConfigText{"owners", "7|games\n8|news\n10|games\n"};
    for (const std::uint32_t job : {7U, 8U, 10U}) texts.scripts[job] = "#!/bin/sh\n";
    const berth::Time now(std::chrono::hours(490'000));
    const auto plan =
        berth::cli::plan_import(texts, berth::slurm::MovedState::running, std::nullopt, now);
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
    for (const berth::config::Finding& one : plan.findings) {
        if (one.file != "slurm.conf") BERTH_ASSERT(one.line <= lines);
    }
    for (const berth::slurm::MovedJob& job : plan.jobs) {
        BERTH_ASSERT(berth::slurm::check_options(job.given).ok());
        BERTH_ASSERT(job.script_name.find('/') == std::string::npos);
    }
    (void)berth::slurm::read_job_owners(text);
    return 0;
}
