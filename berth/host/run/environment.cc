#include "berth/host/run/environment.h"

namespace berth {

void Environment::add(const std::vector<std::string>& settings) {
    for (const std::string_view setting : settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string_view::npos || equals == 0) continue;
        if (setting.find('\0') != std::string_view::npos) continue;
        set(setting.substr(0, equals), setting.substr(equals + 1));
    }
}

void Environment::set(std::string_view name, std::string_view value) {
    const auto [place, is_new] = places_.try_emplace(std::string(name), all_.size());
    if (is_new) {
        all_.emplace_back(name, value);
    } else {
        all_[place->second].second = value;
    }
}

void Environment::unset(std::string_view name) {
    const auto found = places_.find(name);
    if (found == places_.end()) return;
    all_[found->second].first.clear();  // Its slot stays empty.
    places_.erase(found);
}

std::optional<std::string_view> Environment::get(std::string_view name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) return std::nullopt;
    return all_[found->second].second;
}

std::vector<std::string> Environment::settings() const {
    std::vector<std::string> texts;
    for (const auto& [name, value] : all_) {
        if (!name.empty()) texts.push_back((name + "=").append(value));
    }
    return texts;
}

}  // namespace berth
