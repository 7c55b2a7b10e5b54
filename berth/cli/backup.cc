// berth backup and berth restore.
#include "berth/store/backup.h"

#include <ostream>
#include <vector>

#include "berth/cli/cluster_dir.h"
#include "berth/cli/subcommands.h"
#include "berth/trust/ownership.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

fs::path database_directory(const std::string& given) {
    return ClusterDir::database_directory(ClusterDir::find(given).path());
}

std::string described(const BackupSummary& summary) {
    return std::to_string(summary.jobs) + " jobs, up to record " +
           std::to_string(summary.sequence) + ", " + std::to_string(summary.bytes >> 10) + " KiB";
}

// A copy has none in it, and without them the cluster's nodes are strangers.
std::string word_about_keys(const fs::path& keys) {
    std::error_code ignored;
    if (fs::exists(keys / "ca.key", ignored)) return {};
    return "There are no keys in " + keys.string() +
           ". If nodes of other hosts had joined, first copy the lost controller's keys there "
           "(ca.key, ca.pem, token.key); otherwise all of them must join again.\n";
}

// The folders of a new cluster's database: what does not come about leaves none behind.
class FoldersMade {
public:
    FoldersMade() = default;
    FoldersMade(const FoldersMade&) = delete;
    FoldersMade& operator=(const FoldersMade&) = delete;
    ~FoldersMade() {
        std::error_code ignored;  // One that has something in it stays.
        for (const fs::path& path : made_) fs::remove(path, ignored);
    }

    // The innermost is the controller's alone. One that exists stays as its owner has made it.
    Status make(const fs::path& directory) {
        std::error_code ignored;
        for (fs::path path = directory; !path.empty() && !fs::exists(path, ignored);
             path = path.parent_path())
            made_.push_back(path);
        if (!made_.empty()) return make_owned_folder(directory.string(), 0700);
        // It may be the controller's user's; the way there may not.
        const bool is_link = fs::is_symlink(directory, ignored);
        return check_path((is_link ? directory : directory.parent_path()).string());
    }
    void keep() { made_.clear(); }

private:
    std::vector<fs::path> made_;  // The innermost first.
};

std::string how_to_start(const fs::path& directory) {
    const ClusterDir cluster(directory.parent_path());
    if (directory != cluster.state()) return {};
    const bool is_found = cluster.path() == ClusterDir::find({}).path();
    return ": berth up" + (is_found ? "" : " --state " + cluster.path().string());
}

// Nor is the configuration in a copy: `berth up` would describe this machine anew.
std::string word_about_config(const fs::path& directory) {
    const ClusterDir cluster(directory.parent_path());
    std::error_code ignored;
    if (directory != cluster.state() || fs::exists(cluster.config(), ignored)) return {};
    return "There is no configuration in " + cluster.config().string() +
           ": start it with the options of the lost cluster, or with --slurm-conf and a copy of "
           "its slurm.conf.\n";
}

}  // namespace

int backup(const BackupOptions& options, Output& output) {
    const auto done = back_up(database_directory(options.state).string(), options.file);
    if (!done.ok()) return output.fail(done.error().message);
    output.out() << options.file << ": " << described(*done)
                 << "; complete: a recovery from it succeeded\n";
    return 0;
}

int restore(const BackupOptions& options, Output& output) {
    const fs::path directory = database_directory(options.state);
    FoldersMade folders;
    if (const Status made = folders.make(directory); !made.ok())
        return output.fail(made.error().message);
    const auto done =
        berth::restore(options.file, directory.string(), {.skip_jobs = options.skip_jobs});
    if (!done.ok()) return output.fail(done.error().message);
    folders.keep();
    output.out() << directory.string() << ": " << described(*done) << "; the next job is "
                 << done->next_job << ". Start the controller" << how_to_start(directory) << ".\n"
                 << word_about_config(directory) << word_about_keys(directory / "keys");
    return 0;
}

}  // namespace berth::cli
