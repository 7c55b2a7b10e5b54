#include "berth/server/service/dependency_text.h"

#include <algorithm>
#include <array>

#include "berth/api/job_name.h"
#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kDependenciesMax = 65'536;

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

// "12", "12_3" or, behind "after", "12+5".
Result<Dependency> parse_one(DependencyKind kind, std::string_view text) {
    Dependency dependency{.kind = kind};
    const std::size_t plus = text.find('+');
    if (plus != std::string_view::npos) {
        const Result<std::int64_t> minutes = parse_int64(text.substr(plus + 1));
        constexpr std::int64_t kMinutesMax = 60 * 24 * 365;
        if (kind != DependencyKind::after || !minutes.ok() || *minutes < 0 ||
            *minutes > kMinutesMax)
            return wrong(text);
        dependency.delay = std::chrono::minutes(*minutes);
    }
    const Result<api::JobName> name = api::parse_job_name(text.substr(0, plus));
    if (!name.ok() || name->array_tasks.size() > 1) return wrong(text);
    dependency.job = name->job;
    if (!name->array_tasks.empty()) dependency.array_task = name->array_tasks.front();
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

Result<std::vector<Dependency>> parse_dependencies(std::string_view text) {
    std::vector<Dependency> all;
    text = trim(text);
    if (text.empty()) return all;
    if (text.find('?') != std::string_view::npos) {
        return Error{ErrorCode::invalid_argument,
                     "'?' in an update of dependencies is not supported yet: join them by ','"};
    }
    for (const std::string_view part : split(text, ',')) {
        BERTH_CHECK(add_part(part, all));
        if (all.size() > kDependenciesMax) return wrong("more than 65536");
    }
    return all;
}

}  // namespace berth
