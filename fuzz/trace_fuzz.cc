// The reader of one format of workloads, which the build names: a target for each.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "berth/base/assert.h"
#include "berth/workload/formats.h"
#include "berth/workload/muri.h"
#include "berth/workload/openb_pods.h"

namespace {

constexpr std::string_view kFormat = BERTH_TRACE_FORMAT;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const auto* const format = berth::workload::find_format(kFormat);
    BERTH_ASSERT(format != nullptr);
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto read = format->read(text);
    if (kFormat == "openb") {  // What the paper's protocol reads.
        const auto pods = berth::workload::read_openb_pods(text);
        BERTH_ASSERT(!pods.ok() || pods->pods.size() + pods->bad == pods->rows);
        static_cast<void>(berth::workload::read_openb_nodes(text));
    }
    if (kFormat == "muri") {  // What its own event loop reads.
        const auto jobs = berth::workload::read_muri_jobs(text);
        BERTH_ASSERT(jobs.ok() == read.ok());
    }
    if (!read.ok()) {
        BERTH_ASSERT(!read.error().message.empty());
        return 0;
    }
    BERTH_ASSERT(read->jobs.size() + read->bad + read->skipped <= read->rows);
    for (const auto& job : read->jobs) {
        BERTH_ASSERT(job.submit.count() >= 0 && job.run_time.count() >= 0 && job.gpus >= 0);
    }
    return 0;
}
