// Every reader of a workload's format, on the same bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "berth/base/assert.h"
#include "berth/workload/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    const auto formats = berth::workload::formats();
    const auto& format = formats[bytes[0] % formats.size()];
    const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    const auto read = format.read(text);
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
