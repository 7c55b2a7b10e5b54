#include "berth/config/kube_resources.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "berth/base/text.h"
#include "berth/config/kube_quantity.h"
#include "berth/model/invalid_argument.h"

namespace berth::config {
namespace {

// Sums of many such counts stay within 64 bits, and so do their bytes.
constexpr std::int64_t kTresCountMax = std::int64_t{1} << 40;

// Words of a product's name that are no type of GPU.
constexpr auto kMakers = std::to_array<std::string_view>(
    {"nvidia", "tesla", "geforce", "quadro", "amd", "radeon", "instinct", "intel", "gpu"});
constexpr auto kSeries = std::to_array<std::string_view>({"rtx", "gtx", "titan"});

bool is_letter_of(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

Error no_tres(std::string_view resource, const std::string& right) {
    return invalid_argument(std::string(resource) + " is no TRES; right would be: " + right);
}

Result<std::string> tres_of_extended(std::string_view resource, std::size_t slash) {
    const std::string domain = to_lower(resource.substr(0, slash));
    const std::string name = to_lower(resource.substr(slash + 1));
    if (name.empty() || name.find_first_of(" \t\n,;|()=:/'\"") != std::string::npos) {
        return no_tres(resource, "a name like nvidia.com/gpu");
    }
    if (domain.ends_with("kubernetes.io")) return no_tres(resource, "without it");
    if (domain == "volcano.sh" || name.ends_with(".shared")) {
        return no_tres(resource,
                       "whole GPUs, or shares of GPUs as gres.conf has them (mps, "
                       "shard, gpumem)");
    }
    if (name.starts_with("mig-")) return "gres/gpu:" + name.substr(4);
    return "gres/" + name;
}

}  // namespace

Result<std::string> tres_of_resource(std::string_view resource) {
    if (resource == "cpu") return std::string("cpu");
    if (resource == "memory") return std::string("mem");
    if (resource == "gpu") return std::string("gres/gpu");
    if (resource == "pods") return no_tres(resource, "max_jobs of the queue, which counts jobs");
    if (resource == "storage" || resource == "ephemeral-storage") {
        return no_tres(resource, "a GRES or a license that counts it");
    }
    const std::size_t slash = resource.find('/');
    if (slash != std::string_view::npos) return tres_of_extended(resource, slash);
    return no_tres(resource, "cpu, memory, or an extended resource like nvidia.com/gpu");
}

Result<std::int64_t> count_of_tres(std::string_view tres, std::string_view quantity) {
    BERTH_TRY(const KubeQuantity value, parse_kube_quantity(quantity));
    const auto wrong = [&](const char* why) {
        return invalid_argument(std::string(quantity).append(" ").append(why));
    };
    if (kind_of_tres(tres) == TresKind::mem) {
        const std::int64_t mebibytes = value.whole >> 20;
        if (mebibytes > kTresCountMax) return wrong("is too large");
        if (mebibytes == 0 && value != KubeQuantity{})
            return wrong("is less than 1 MiB; bytes are counted, so it should be like 512Gi");
        return mebibytes;
    }
    if (value.nano != 0) return wrong("should be a whole number: parts of one have no quota");
    if (value.whole > kTresCountMax) return wrong("is too large");
    return value.whole;
}

TresLimits read_resource_list(KubeFields fields) {
    TresLimits counts;
    std::map<std::string, std::string> resources;  // By TRES.
    for (const std::string& resource : fields.unread()) {
        const std::string quantity = fields.read_text(resource);
        const auto tres = tres_of_resource(resource);
        if (!tres.ok()) {
            fields.error(resource, tres.error().message);
            continue;
        }
        const auto [other, is_new] = resources.try_emplace(*tres, resource);
        if (!is_new) {
            fields.error(resource, "is " + *tres + ", and so is " + other->second +
                                       "; right would be: one of them");
            continue;
        }
        const auto count = count_of_tres(*tres, quantity);
        if (count.ok()) {
            counts.emplace_back(*tres, *count);
        } else {
            fields.error(resource, count.error().message);
        }
    }
    const bool has_types = std::ranges::any_of(
        counts, [](const auto& one) { return one.first.starts_with("gres/gpu:"); });
    if (has_types && resources.contains("gres/gpu")) {
        fields.error(resources.at("gres/gpu"),
                     "counts GPUs of every type, so no type may stand beside it");
    }
    return changed({}, counts);
}

std::string gpu_type_in(std::string_view product) {
    std::string spaced(product);
    std::ranges::replace(spaced, '-', ' ');
    std::ranges::replace(spaced, '_', ' ');
    std::vector<std::string> words;
    for (const std::string_view word : split(spaced, ' ')) {
        const std::string lower = to_lower(word);
        if (lower.empty() || std::ranges::find(kMakers, lower) != kMakers.end()) continue;
        words.push_back(lower);
    }
    const auto mig = std::ranges::find(words, "mig");
    if (mig != words.end() && mig + 1 != words.end()) return *(mig + 1);
    if (words.empty()) return {};
    if (words.size() == 1 || std::ranges::find(kSeries, words[0]) == kSeries.end()) return words[0];
    return is_letter_of(words[1][0]) ? words[1] : words[0] + words[1];
}

}  // namespace berth::config
