// The table of usages that `berth usage import` reads.
#pragma once

#include <string_view>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::cli {

// What `sshare -a -P -o Account,User,RawUsage` prints: a header, then fields between bars in the
// header's order. Lines of accounts, which have no user, are passed over.
Result<api::UsagePatch> parse_usage(std::string_view text);

}  // namespace berth::cli
