// Tables of papers and of other clusters' files that `berth sim` reads beside the traces.
#include <cstdint>
#include <string_view>

#include "berth/report/muri_table.h"
#include "berth/report/openb_table.h"
#include "berth/workload/muri.h"
#include "berth/workload/openb_pods.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    namespace report = berth::report;
    namespace workload = berth::workload;
    if (size == 0) return 0;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    switch (bytes[0] % 5) {
        case 0: (void)report::read_openb_published(text); break;
        case 1: (void)report::read_muri_published(text); break;
        case 2: (void)workload::read_muri_jobs(text); break;
        case 3: (void)workload::read_openb_pods(text); break;
        default: (void)workload::read_openb_nodes(text); break;
    }
    return 0;
}
