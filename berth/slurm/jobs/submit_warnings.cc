#include "berth/slurm/jobs/submit_warnings.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "berth/model/file_pattern.h"

namespace berth::slurm {
namespace {

// As an error number; 0: it may.
int why_not(const std::string& path, int mode) {
    return ::access(path.c_str(), mode) == 0 ? 0 : errno;
}

std::string warning(const std::string& what, const std::string& path, int why,
                    const std::string& then) {
    return what + " " + path + " cannot be used on this host: " + std::strerror(why) +
           "; unless the job's node can, " + then;
}

// The file itself where it is there; else the folder that it would be made in.
int why_not_written(const std::filesystem::path& path, bool name_is_known) {
    if (name_is_known && ::access(path.c_str(), F_OK) == 0) return why_not(path, W_OK);
    const std::filesystem::path folder = path.parent_path();
    if (folder.native().find('%') != std::string::npos) return 0;
    return why_not(folder, W_OK | X_OK);
}

}  // namespace

std::vector<std::string> file_warnings(const JobCommand& command) {
    std::vector<std::string> warnings;
    const std::string fails = "the job will fail";
    const int no_folder = why_not(command.work_dir, X_OK);
    if (no_folder != 0) {
        warnings.push_back(
            warning("the working directory", command.work_dir, no_folder, "it will run in /tmp"));
    }
    const auto path_of = [&](const std::string& pattern) {
        return std::filesystem::path(command.work_dir) / pattern;
    };
    const auto output = [&](const std::string& what, const std::string& pattern) {
        const bool in_missing_folder = no_folder != 0 && !pattern.starts_with('/');
        const int why = in_missing_folder
                            ? no_folder
                            : why_not_written(path_of(pattern),
                                              pattern.find_first_of("%\\") == std::string::npos);
        if (why != 0) warnings.push_back(warning(what, path_of(pattern), why, fails));
    };
    output("the output file",
           command.std_out.empty() ? std::string(default_output_pattern(false)) : command.std_out);
    if (!command.std_err.empty()) output("the error file", command.std_err);
    if (!command.std_in.empty() && command.std_in.find_first_of("%\\") == std::string::npos) {
        const int why = why_not(path_of(command.std_in), R_OK);
        if (why != 0) {
            warnings.push_back(warning("the input file", path_of(command.std_in), why, fails));
        }
    }
    return warnings;
}

}  // namespace berth::slurm
