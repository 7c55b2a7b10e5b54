// Whatever the text: no crash, and what was read prints as something that reads the same.
#include "berth/base/bitmask.h"
#include "berth/base/calendar.h"
#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"

namespace berth {
namespace {

// One text in 16 may name tens of thousands of hosts, which takes as long as all the others.
bool is_long(std::string_view text) {
    std::size_t digits = 0;
    for (const char letter : text) {
        digits = letter >= '0' && letter <= '9' ? digits + 1 : 0;
        if (digits > 3) return true;
    }
    return false;
}

void check_hostlist(std::string_view text) {
    if (is_long(text) && text.size() % 16 != 0) return;
    const auto hosts = expand_hostlist(text);
    if (!hosts.ok() || hosts->empty() || hosts->size() > 1000) return;  // Long ones say no more.
    BERTH_ASSERT(expand_hostlist(compress_hostlist_in_order(*hosts)).value() == *hosts);
}

void check_time_limit(std::string_view text) {
    const auto limit = parse_time_limit(text);
    if (!limit.ok()) return;
    BERTH_ASSERT(parse_time_limit(format_time_limit(*limit)).value() == *limit);
    BERTH_ASSERT(parse_time_limit(format_time_limit_short(*limit)).value() == *limit);
}

void check_size(std::string_view text) {
    const auto size = parse_size(text);
    if (size.ok()) BERTH_ASSERT(!format_size(*size).empty());
}

void check_date_time(std::string_view text) {
    const auto at = parse_date_time(text, Duration::zero());
    if (!at.ok()) return;
    BERTH_ASSERT(
        parse_date_time(format_date_time(*at, Duration::zero()), Duration::zero()).value() == *at);
}

void check_mask(std::string_view text) {
    const auto mask = list_to_mask(text);
    if (mask.ok()) BERTH_ASSERT(list_to_mask(mask_to_list(*mask)).value() == *mask);
}

}  // namespace
}  // namespace berth

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    berth::check_hostlist(text);
    berth::check_time_limit(text);
    berth::check_size(text);
    berth::check_date_time(text);
    berth::check_mask(text);
    return 0;
}
