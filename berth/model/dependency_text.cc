#include "berth/model/dependency_text.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kDependenciesMax = 65'536;
constexpr std::int64_t kArrayIndexMax = 4'000'000;
constexpr std::int64_t kMinutesMax = 10'000'000;
constexpr std::int64_t kJobIdMax = 0xffff'fffe;

struct KindName {
    std::string_view name;
    DependencyKind kind;
};
constexpr std::array kKinds = {
    KindName{"after", DependencyKind::after},
    KindName{"afterany", DependencyKind::afterany},
    KindName{"afterok", DependencyKind::afterok},
    KindName{"afternotok", DependencyKind::afternotok},
    KindName{"aftercorr", DependencyKind::aftercorr},
    KindName{"singleton", DependencyKind::singleton},
};

Error wrong(std::string_view text) {
    return {ErrorCode::invalid_argument,
            "'" + std::string(text) +
                "' is no dependency: afterok:12, after:12+5, afterany:12_3 and singleton are some"};
}

// "12" or "12_3"; "12_*" is all of the array, as "12" is.
bool read_job(std::string_view text, Dependency& dependency) {
    const std::size_t underscore = text.find('_');
    if (underscore != std::string_view::npos && text.substr(underscore + 1) != "*") {
        const Result<std::int64_t> task = parse_int64(text.substr(underscore + 1));
        if (!task.ok() || *task < 0 || *task > kArrayIndexMax) return false;
        dependency.array_task = static_cast<std::uint32_t>(*task);
    }
    const Result<std::int64_t> job = parse_int64(text.substr(0, underscore));
    if (!job.ok() || *job <= 0 || *job > kJobIdMax) return false;
    dependency.job = JobId(static_cast<std::uint32_t>(*job));
    return true;
}

// "12", "12_3" or, behind "after", "12+5".
Result<Dependency> parse_one(DependencyKind kind, std::string_view text) {
    Dependency dependency{.kind = kind};
    const std::size_t plus = text.find('+');
    if (plus != std::string_view::npos) {
        const Result<std::int64_t> minutes = parse_int64(text.substr(plus + 1));
        if (kind != DependencyKind::after || !minutes.ok() || *minutes < 0 ||
            *minutes > kMinutesMax) {
            return wrong(text);
        }
        dependency.delay = std::chrono::minutes(*minutes);
    }
    if (!read_job(text.substr(0, plus), dependency)) return wrong(text);
    return dependency;
}

Status add_part(std::string_view part, std::vector<Dependency>& all) {
    const std::vector<std::string_view> words = split(part, ':');
    const auto* const kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const KindName& one) {
        return iequals(one.name, words.front());
    });
    if (kind == kKinds.end()) return wrong(part);
    if (kind->kind == DependencyKind::singleton) {
        if (words.size() > 1) return wrong(part);
        all.push_back({.kind = kind->kind});
        return Done{};
    }
    if (words.size() < 2) return wrong(part);
    for (std::size_t i = 1; i < words.size(); ++i) {
        BERTH_TRY(Dependency one, parse_one(kind->kind, words[i]));
        all.push_back(one);
    }
    return Done{};
}

}  // namespace

Result<Dependencies> parse_dependencies(std::string_view text) {
    Dependencies found;
    text = trim(text);
    if (text.empty()) return found;
    found.any = text.find('?') != std::string_view::npos;
    if (found.any && text.find(',') != std::string_view::npos) {
        return Error{ErrorCode::invalid_argument,
                     "'" + std::string(text) +
                         "' joins dependencies by ',' and by '?': it can be "
                         "one of them"};
    }
    for (const std::string_view part : split(text, found.any ? '?' : ',')) {
        BERTH_CHECK(add_part(trim(part), found.all));
        if (found.all.size() > kDependenciesMax) return wrong("more than 65536");
    }
    return found;
}

}  // namespace berth
