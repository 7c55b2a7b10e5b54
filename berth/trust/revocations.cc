#include "berth/trust/revocations.h"

#include <algorithm>

#include "berth/base/text.h"
#include "berth/trust/key_file.h"

namespace berth {

Revocations::Revocations(Revocations&& other) noexcept
    : path_(std::move(other.path_)), until_(std::move(other.until_)) {}

Result<Revocations> Revocations::open(const std::string& folder) {
    Revocations all;
    all.path_ = folder + "/revoked";
    const Result<std::string> text = read_secret_file(all.path_);
    if (!text.ok() && text.error().code == ErrorCode::not_found) return all;
    if (!text.ok()) return text.error();
    for (const std::string_view line : split(*text, '\n')) {
        if (line.empty()) continue;
        const std::size_t blank = std::min(line.find(' '), line.size());
        const auto until = parse_int64(line.substr(std::min(blank + 1, line.size())));
        if (blank == 0 || !until.ok()) {
            return Error{ErrorCode::invalid_argument,
                         all.path_ + ": '" + std::string(line.substr(0, 80)) +
                             "' should be a node and a time in seconds"};
        }
        all.until_[std::string(line.substr(0, blank))] = *until;
    }
    return all;
}

Status Revocations::revoke(const std::string& node, Time now) {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::int64_t> after = until_;
    std::int64_t& until = after[node];
    until = std::max(until, seconds(now));
    std::string text;
    for (const auto& [name, at] : after) text += name + " " + std::to_string(at) + "\n";
    if (!path_.empty()) BERTH_CHECK(write_secret_file(path_, text));
    until_ = std::move(after);
    return Done{};
}

bool Revocations::is_revoked(const std::string& node, Time issued_at) const {
    const std::lock_guard lock(mutex_);
    const auto known = until_.find(node);
    return known != until_.end() && seconds(issued_at) <= known->second;
}

Time Revocations::believed_from(const std::string& node, Time now) const {
    const std::lock_guard lock(mutex_);
    const auto known = until_.find(node);
    return known == until_.end() ? now : std::max(now, from_seconds(known->second + 1));
}

}  // namespace berth
