#include "berth/slurm/job_environment.h"

#include <filesystem>

#include "berth/base/text.h"

namespace berth::slurm {
namespace {

// Belongs to this submission and not to the job.
bool stays_behind(const std::string& name) {
    return name.starts_with("SBATCH_") || name == "BERTH_SOCKET";
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
            if (equals != std::string::npos)
                chosen[text.substr(0, equals)] = text.substr(equals + 1);
            else if (const std::string* value = call.variable(text))
                chosen[text] = *value;
        }
    }
    std::vector<std::string> environment;
    for (const auto& [name, value] : chosen) environment.push_back(name + "=" + value);
    return environment;
}

std::string work_dir_of(const std::string& chdir) {
    const std::filesystem::path here = std::filesystem::current_path();
    return chdir.empty() ? here.string() : (here / chdir).lexically_normal().string();
}

std::string line_of(const Invocation& call) {
    std::string line = call.name;
    for (const std::string& word : call.arguments) line += " " + word;
    return line;
}

}  // namespace berth::slurm
