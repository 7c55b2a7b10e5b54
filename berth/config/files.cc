#include "berth/config/files.h"

#include <filesystem>  // tidy:allow the one file of config that reads a disk
#include <fstream>     // tidy:allow the one file of config that reads a disk
#include <sstream>

#include "berth/base/text.h"

namespace berth::config {
namespace {

namespace fs = std::filesystem;

Result<std::optional<ConfigText>> read_if_there(const fs::path& path, const std::string& name) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return std::optional<ConfigText>();
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    if (!in) return Error{ErrorCode::unavailable, "cannot read " + path.string()};
    return std::optional<ConfigText>({.name = name, .text = std::move(text).str()});
}

// `Include` names files beside the one that includes, or by a path from the root.
Status read_included(const fs::path& directory, const ConfigText& source, ConfigFiles& files,
                     int depth) {
    if (depth > 8)
        return Error{ErrorCode::invalid_argument, source.name + " is included too deeply"};
    for (const std::string_view raw : split(source.text, '\n')) {
        const std::string_view line = trim(raw);
        if (!starts_with_icase(line, "include ") && !starts_with_icase(line, "include\t")) continue;
        const std::string name(trim(line.substr(8)));
        const fs::path path = fs::path(name).is_absolute() ? fs::path(name) : directory / name;
        BERTH_TRY(auto text, read_if_there(path, name));
        if (!text) continue;  // load() says so, at its line.
        files.included.push_back(*text);
        BERTH_CHECK(read_included(directory, *text, files, depth + 1));
    }
    return Done{};
}

Result<ConfigFiles> read_all(const fs::path& directory, const std::string& slurm_conf) {
    ConfigFiles files;
    BERTH_TRY(files.slurm, read_if_there(directory / slurm_conf, slurm_conf));
    BERTH_TRY(files.gres, read_if_there(directory / "gres.conf", "gres.conf"));
    BERTH_TRY(files.cgroup, read_if_there(directory / "cgroup.conf", "cgroup.conf"));
    BERTH_TRY(files.topology, read_if_there(directory / "topology.conf", "topology.conf"));
    BERTH_TRY(files.berth, read_if_there(directory / "berth.yaml", "berth.yaml"));
    BERTH_TRY(files.job_submit, read_if_there(directory / "job_submit.lua", "job_submit.lua"));
    if (!files.slurm && !files.berth) {
        return Error{ErrorCode::not_found, "no slurm.conf and no berth.yaml in " +
                                               directory.string() +
                                               "; one of them describes the cluster"};
    }
    if (files.slurm) {
        const ConfigText slurm = *files.slurm;
        BERTH_CHECK(read_included(directory, slurm, files, 0));
    }
    return files;
}

}  // namespace

Result<ConfigFiles> read_directory(const std::string& directory) {
    std::error_code ignored;
    if (!fs::is_directory(directory, ignored)) {
        return Error{ErrorCode::not_found, directory + " is not a directory"};
    }
    return read_all(directory, "slurm.conf");
}

Result<ConfigFiles> read_beside(const std::string& slurm_conf_path) {
    const fs::path path(slurm_conf_path);
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) {
        return Error{ErrorCode::not_found, slurm_conf_path + " is not a file"};
    }
    return read_all(path.has_parent_path() ? path.parent_path() : fs::path("."),
                    path.filename().string());
}

std::vector<std::string> paths_of(const std::string& directory, const ConfigFiles& files) {
    std::vector<std::string> paths;
    const auto add = [&](const std::string& name) {
        paths.push_back((fs::path(directory) / name).string());
    };
    for (const auto* const one : {&files.slurm, &files.gres, &files.cgroup, &files.topology,
                                  &files.berth, &files.job_submit}) {
        if (*one) add((*one)->name);
    }
    for (const ConfigText& one : files.included) add(one.name);
    return paths;
}

}  // namespace berth::config
