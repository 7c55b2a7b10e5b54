// Any bytes as a submission and as a query: no crash, and what was read is written and read again
// the same.
#include <cstdint>

#include "berth/api/json.h"
#include "berth/api/query.h"
#include "berth/base/assert.h"

namespace berth::api {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    if (const auto read = from_json<SubmitRequest>(text); read.ok()) {
        const auto again = from_json<SubmitRequest>(to_json(*read));
        BERTH_ASSERT(again.ok() && *again == *read);
    }
    if (const auto read = parse_json(text); read.ok()) {
        const auto again = parse_json(to_text(*read));
        BERTH_ASSERT(again.ok() && *again == *read);
    }
    if (const auto read = parse_query(text); read.ok()) {
        BERTH_ASSERT(*parse_query(format_query(*read)) == *read);
    }
    (void)parse_job_query(text);
    (void)parse_accounting_query(text);
    return 0;
}

}  // namespace berth::api
