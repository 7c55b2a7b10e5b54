#include "berth/slurm/options/submit_environment.h"

#include <filesystem>
#include <fstream>

#include "berth/base/text.h"

namespace berth::slurm {
namespace {

// Belongs to this submission and not to the job.
bool stays_behind(const std::string& name) {
    return name.starts_with("SBATCH_") || name == "BERTH_SOCKET" || name == "BERTH_REQUEST_ID";
}

}  // namespace

std::vector<std::string> exported_environment(const Invocation& call, const std::string& what) {
    std::map<std::string, std::string> chosen;
    const bool none = iequals(what, "NONE") || iequals(what, "NIL");
    bool all = false;
    for (const auto word : split(what, ',')) all = all || iequals(trim(word), "ALL");
    for (const auto& [name, value] : call.environment) {
        if (stays_behind(name)) continue;
        if (all || (name.starts_with("SLURM_") && !iequals(what, "NIL"))) chosen[name] = value;
    }
    if (!none) {
        for (const auto word : split(what, ',')) {
            const std::string text(trim(word));
            const std::size_t equals = text.find('=');
            if (text.empty() || iequals(text, "ALL")) continue;
            if (equals != std::string::npos) {
                chosen[text.substr(0, equals)] = text.substr(equals + 1);
            } else if (const std::string* value = call.variable(text)) {
                chosen[text] = *value;
            }
        }
    }
    std::vector<std::string> environment;
    environment.reserve(chosen.size());
    for (const auto& [name, value] : chosen) environment.push_back((name + "=").append(value));
    return environment;
}

Result<std::vector<std::string>> environment_file(const std::string& name_or_number) {
    const auto number = parse_int64(name_or_number);
    if (number.ok() && number.value() < 3) {
        return Error{ErrorCode::invalid_argument,
                     "--export-file takes a file name, or a file descriptor from 3 on"};
    }
    const std::string name =
        number.ok() ? "/proc/self/fd/" + std::to_string(number.value()) : name_or_number;
    std::ifstream file(name, std::ios::binary);
    if (!file) return Error{ErrorCode::not_found, "Unable to read --export-file=" + name_or_number};
    std::vector<std::string> settings;
    for (std::string one; std::getline(file, one, '\0');) {
        if (one.empty()) continue;
        const std::size_t equals = one.find('=');
        if (equals == std::string::npos || equals == 0) {
            return Error{ErrorCode::invalid_argument,
                         "--export-file=" + name_or_number +
                             " should contain NAME=value texts, each ended by a zero byte"};
        }
        settings.push_back(one);
    }
    return settings;
}

std::string work_dir_of(const std::string& chdir) {
    std::error_code gone;  // The folder may have been removed under us: then as in Slurm.
    std::filesystem::path here = std::filesystem::current_path(gone);
    if (gone) here = "/";
    return chdir.empty() ? here.string() : (here / chdir).string();
}

std::string line_of(const Invocation& call) {
    std::string line = call.name;
    for (const std::string& word : call.arguments) line += " " + word;
    return line;
}

}  // namespace berth::slurm
