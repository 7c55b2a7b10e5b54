#include "berth/cli/up_config.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>

#include "berth/base/text.h"
#include "berth/cli/new_cluster.h"
#include "berth/config/files.h"
#include "berth/trust/key_file.h"
#include "berth/trust/ownership.h"
#include "berth/trust/secrets.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOrigin = "made-by-up";  // Beside slurm.conf; the daemons do not read it.
constexpr const char *kGpus = "--simulate-gpus", *kNodes = "--nodes", *kCpus = "--cpus",
                     *kSlurmConf = "--slurm-conf", *kDigest = "digest";

struct NamedText {
    std::string name, text;
};

// By the names that they have in etc/, whatever the given slurm.conf is called.
std::vector<NamedText> texts_of(const config::ConfigFiles& files) {
    std::vector<NamedText> all;
    const auto add = [&](const char* name, const std::optional<config::ConfigText>& text) {
        if (text) all.push_back({name, text->text});
    };
    add("slurm.conf", files.slurm);
    add("gres.conf", files.gres);
    add("cgroup.conf", files.cgroup);
    add("topology.conf", files.topology);
    add("berth.yaml", files.berth);
    add("job_submit.lua", files.job_submit);
    for (const config::ConfigText& one : files.included) {
        if (!fs::path(one.name).is_absolute()) all.push_back({one.name, one.text});
    }
    return all;
}

std::string digest_of(const config::ConfigFiles& files) {
    std::string all;
    for (const NamedText& one : texts_of(files))
        all += one.name + ' ' + std::to_string(one.text.size()) + '\n' + one.text;
    return sha256_hex(all);
}

std::optional<std::string> text_if_there(const fs::path& path) {
    std::ifstream file(path);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

std::map<std::string, std::string> origin_in(const fs::path& folder) {
    std::map<std::string, std::string> origin;
    const std::string text = text_if_there(folder / kOrigin).value_or("");
    for (const std::string_view line : split(text, '\n')) {
        const std::size_t equals = line.find('=');
        if (line.starts_with('#') || equals == std::string_view::npos) continue;
        origin.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    return origin;
}

std::string text_of_origin(const std::map<std::string, std::string>& origin) {
    std::string text = "# The options of `berth up` that made the files in this directory.\n";
    for (const auto& [name, value] : origin) text.append(name).append("=").append(value) += '\n';
    return text;
}

// "slurm.conf line 3 is \"…\", not \"…\""
std::string first_difference(const std::string& name, const std::string& there,
                             const std::string& wanted) {
    const auto theirs = split(there, '\n'), ours = split(wanted, '\n');
    const auto line = [](const auto& lines, std::size_t i) {
        return i < lines.size() ? '"' + std::string(lines[i]) + '"' : std::string("missing");
    };
    for (std::size_t i = 0; i < std::max(theirs.size(), ours.size()); ++i) {
        if (line(theirs, i) == line(ours, i)) continue;
        return name + " line " + std::to_string(i + 1) + " is " + line(theirs, i) + ", not " +
               line(ours, i);
    }
    return {};
}

std::vector<std::string> files_that_differ(const UpConfig& wanted, const fs::path& folder) {
    std::vector<std::string> all;
    constexpr std::array kNames = {"slurm.conf",    "gres.conf",  "cgroup.conf",
                                   "topology.conf", "berth.yaml", "job_submit.lua"};
    const std::vector<NamedText> texts = texts_of(wanted.files);
    for (const NamedText& one : texts) {
        const std::optional<std::string> there = text_if_there(folder / one.name);
        if (!there) {
            all.push_back("there is no " + one.name);
        } else if (*there != one.text) {
            all.push_back(first_difference(one.name, *there, one.text));
        }
    }
    for (const char* const name : kNames) {
        const bool is_wanted =
            std::ranges::any_of(texts, [&](const NamedText& one) { return one.name == name; });
        std::error_code ignored;
        if (!is_wanted && fs::exists(folder / name, ignored))
            all.push_back(std::string("there is a ") + name);
    }
    return all;
}

fs::path former_of(const fs::path& folder) { return folder.string() + ".previous"; }

// "a, b, c and 4 more"; empty: the folder is empty, or there is none.
Result<std::string> content_of(const fs::path& folder) {
    constexpr std::size_t kShownFiles = 5;
    std::error_code failed;
    if (!fs::exists(fs::symlink_status(folder, failed))) return std::string();
    std::vector<std::string> names;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
        names.push_back(at->path().filename().string());
    if (failed) {
        return Error{ErrorCode::failed_precondition,
                     "cannot read the directory " + folder.string() + ": " + failed.message()};
    }
    std::ranges::sort(names);
    const std::size_t more = names.size() > kShownFiles ? names.size() - kShownFiles : 0;
    names.resize(names.size() - more);
    return join(names, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::string or_default(const std::string& value, const char* otherwise) {
    return value.empty() ? otherwise : value;
}

Result<UpConfig> copied(const UpOptions& options) {
    if (options.simulate_gpus || options.nodes || options.cpus) {
        return Error{ErrorCode::invalid_argument,
                     "--slurm-conf describes the nodes: omit --simulate-gpus, --nodes "
                     "and --cpus"};
    }
    BERTH_TRY(config::ConfigFiles files, config::read_beside(options.slurm_conf));
    const std::string path = fs::absolute(options.slurm_conf).string();
    std::string digest = digest_of(files);
    return UpConfig{.files = std::move(files),
                    .origin = {{kSlurmConf, path}, {kDigest, std::move(digest)}},
                    .summary = {}};
}

}  // namespace

bool asks_for_config(const UpOptions& options) {
    return !options.slurm_conf.empty() || options.simulate_gpus || options.nodes || options.cpus ||
           options.replace_config;
}

Result<UpConfig> wanted_config(const UpOptions& options) {
    if (!options.slurm_conf.empty()) return copied(options);
    BERTH_TRY(NewConfig made, new_config({.nodes = options.nodes.value_or(1),
                                          .cpus = options.cpus.value_or(0),
                                          .simulate_gpus = options.simulate_gpus}));
    return UpConfig{.files = std::move(made.files),
                    .origin = {{kGpus, options.simulate_gpus.value_or("")},
                               {kNodes, std::to_string(options.nodes.value_or(1))},
                               {kCpus, options.cpus ? std::to_string(*options.cpus) : ""}},
                    .summary = std::move(made.summary)};
}

bool has_config(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / "slurm.conf", ignored) || fs::exists(folder / "berth.yaml", ignored);
}

Status check_foreign_files(const fs::path& folder, bool replaces) {
    const fs::path looked = replaces ? former_of(folder) : folder;
    BERTH_TRY(const std::string content, content_of(looked));
    if (content.empty() || has_config(looked)) return Done{};
    const std::string found =
        looked.string() + " has no slurm.conf or berth.yaml, but " + content + ": ";
    if (replaces) {
        return Error{ErrorCode::failed_precondition,
                     found + "--replace-config would delete it. Move it away first"};
    }
    return Error{ErrorCode::failed_precondition,
                 found +
                     "add a slurm.conf, give another directory with --state, or move all of it "
                     "to " +
                     former_of(folder).string() + " with --replace-config"};
}

std::vector<std::string> differences(const UpConfig& wanted, const UpOptions& options,
                                     const fs::path& folder) {
    const std::map<std::string, std::string> origin = origin_in(folder);
    if (origin.empty()) return files_that_differ(wanted, folder);
    const auto had = [&](const char* name) {
        const auto found = origin.find(name);
        return found == origin.end() ? std::string() : found->second;
    };
    if (!options.slurm_conf.empty()) {
        // A file that is as it was then asks for nothing new, whatever was changed in etc/ since.
        if (had(kDigest) == wanted.origin.at(kDigest)) return {};
        return files_that_differ(wanted, folder);
    }
    if (!had(kSlurmConf).empty())
        return {"its configuration is a copy of " + had(kSlurmConf) + " and what lies beside it"};
    std::vector<std::string> all;
    const auto compare = [&](const char* name, bool is_given, const char* otherwise) {
        const std::string& now = wanted.origin.at(name);
        if (!is_given || had(name) == now) return;
        all.push_back(std::string(name) + " is " + or_default(had(name), otherwise) + ", not " +
                      or_default(now, otherwise));
    };
    const bool whole = options.replace_config;
    compare(kGpus, whole || options.simulate_gpus, "not given");
    compare(kNodes, whole || options.nodes, "1");
    compare(kCpus, whole || options.cpus, "not given");
    return all;
}

Status install_config(const UpConfig& wanted, const fs::path& folder) {
    const fs::path made = folder.string() + ".new", former = former_of(folder);
    std::error_code failed;
    fs::remove_all(made, failed);
    BERTH_CHECK(make_owned_folder(made, 0755));
    for (const NamedText& one : texts_of(wanted.files)) {
        const fs::path path = (made / one.name).lexically_normal();
        // `Include ../x` names a file beside the folder: it would be written there.
        const auto within = path.lexically_relative(made);
        if (within.empty() || *within.begin() == "..") {
            return Error{ErrorCode::invalid_argument,
                         "slurm.conf includes " + one.name +
                             ", outside of its own directory: give its absolute path"};
        }
        if (within.has_parent_path())
            BERTH_CHECK(make_owned_folder(path.parent_path().string(), 0755));
        BERTH_CHECK(write_public_file(path.string(), one.text));
    }
    BERTH_CHECK(write_public_file((made / kOrigin).string(), text_of_origin(wanted.origin)));
    if (fs::exists(folder) && !fs::is_empty(folder, failed)) {
        fs::remove_all(former, failed);
        if (!failed) fs::rename(folder, former, failed);
    }
    if (!failed) fs::rename(made, folder, failed);
    if (!failed) return Done{};
    return Error{ErrorCode::unavailable,
                 "cannot put the configuration into " + folder.string() + ": " + failed.message()};
}

}  // namespace berth::cli
