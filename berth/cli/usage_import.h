// The table of usages that `berth usage import` reads.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::cli {

struct UsageLine {
    std::size_t line = 0;
    UsageSet::Entry entry;
};

// What `sshare -a -P -o Account,User,RawUsage` prints, and `sshare -alP`: a header, then fields
// between bars in the header's order. Lines of accounts, which have no user, are passed over.
Result<std::vector<UsageLine>> read_usage(std::string_view text);

// The same as one call.
Result<api::UsagePatch> parse_usage(std::string_view text);

}  // namespace berth::cli
