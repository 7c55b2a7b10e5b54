// The table of usages: any text is read or refused, never a crash.
#include <cstdint>
#include <string_view>

#include "berth/cli/usage_import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    (void)berth::cli::parse_usage({reinterpret_cast<const char*>(bytes), size});
    return 0;
}
