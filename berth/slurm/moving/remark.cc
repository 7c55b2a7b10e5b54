#include "berth/slurm/moving/remark.h"

#include <array>

#include "berth/base/text.h"

namespace berth::slurm {
namespace {

struct Instead {
    std::string_view option, what;
};

constexpr std::string_view kQuota = "fair share, or a queue with a quota (docs/policy.md)";

constexpr auto kInstead = std::to_array<Instead>({
    {"grptresmins", kQuota},
    {"grptresrunmins", kQuota},
    {"grpwall", kQuota},
    {"maxtresrunmins", kQuota},
    {"maxtresrunminspa", kQuota},
    {"maxtresrunminspu", kQuota},
    {"usagethres", kQuota},
    {"partition", "AllowAccounts and AllowQos of the partition"},
    {"adminlevel", "AdminLevel=Operator; root administers the cluster"},
});

}  // namespace

std::string one_line(std::string_view error) {
    std::string text;
    for (const std::string_view raw : split(error, '\n')) {
        std::string_view line = trim(raw);
        for (const std::string_view name : {"sacctmgr: ", "error: "}) {
            if (line.starts_with(name)) line.remove_prefix(name.size());
        }
        if (line.empty()) continue;
        if (!text.empty()) text += "; ";
        text += line;
    }
    return text;
}

std::string instead_of(std::string_view option) {
    for (const Instead& one : kInstead) {
        if (iequals(one.option, option)) return "; instead: " + std::string(one.what);
    }
    return {};
}

}  // namespace berth::slurm
