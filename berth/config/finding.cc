#include "berth/config/finding.h"

#include <algorithm>
#include <map>

namespace berth::config {
namespace {

const char* name_of(Severity severity) {
    switch (severity) {
        case Severity::error: return "error";
        case Severity::warning: return "warning";
        case Severity::note: return "note";
    }
    return "error";
}

}  // namespace

std::string to_string(const Finding& finding) {
    std::string text = finding.file;
    if (finding.line > 0) text += ":" + std::to_string(finding.line);
    return text + ": " + name_of(finding.severity) + ": " + finding.message;
}

bool Findings::has_errors() const {
    return std::ranges::any_of(all_,
                               [](const Finding& f) { return f.severity == Severity::error; });
}

void Findings::sort() {
    std::map<std::string, std::size_t> order;
    for (const Finding& finding : all_) order.try_emplace(finding.file, order.size());
    std::ranges::stable_sort(all_, [&](const Finding& a, const Finding& b) {
        return std::pair(order.at(a.file), a.line) < std::pair(order.at(b.file), b.line);
    });
}

}  // namespace berth::config
