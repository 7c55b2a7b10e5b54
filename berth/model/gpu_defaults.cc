#include "berth/model/gpu_defaults.h"

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth {
namespace {

constexpr std::int64_t kCpusPerGpuMax = 65'536, kMebibytesPerGpuMax = std::int64_t{1} << 40;

}  // namespace

Result<GpuDefaults> parse_job_defaults(std::string_view text, GpuDefaults before) {
    if (text.empty() || iequals(text, "(null)")) return GpuDefaults{};
    GpuDefaults found = before;
    for (const std::string_view one : split(text, ',')) {
        const std::size_t equals = one.find('=');
        const std::string_view name = one.substr(0, equals);
        const bool of_cpus = iequals(name, "DefCpuPerGPU");
        if (equals == one.npos || !(of_cpus || iequals(name, "DefMemPerGPU"))) {
            return invalid_argument("JobDefaults: " + std::string(one) +
                                    " should be DefCpuPerGPU=NUMBER or DefMemPerGPU=MEBIBYTES");
        }
        const auto number = parse_int64(one.substr(equals + 1));
        const std::int64_t most = of_cpus ? kCpusPerGpuMax : kMebibytesPerGpuMax;
        if (!number.ok() || *number < 0 || *number > most) {
            return invalid_argument(std::string(one) + " should be a whole number from 0 to " +
                                    std::to_string(most));
        }
        if (of_cpus) {
            found.cpus = static_cast<std::uint32_t>(*number);
        } else {
            found.memory = Bytes(*number << 20);
        }
    }
    return found;
}

std::string job_defaults_text(const GpuDefaults& defaults) {
    std::string text;
    if (defaults.cpus > 0) text = "DefCpuPerGPU=" + std::to_string(defaults.cpus);
    if (defaults.memory > Bytes(0)) {
        text += (text.empty() ? "" : ",");
        text += "DefMemPerGPU=" + std::to_string(defaults.memory.count() >> 20);
    }
    return text.empty() ? "(null)" : text;
}

}  // namespace berth
