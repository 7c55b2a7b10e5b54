// berth backup and berth restore.
#include "berth/store/backup.h"

#include <ostream>

#include "berth/cli/cluster_dir.h"
#include "berth/cli/commands.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

// The packages' controller keeps its state in the directory itself, that of `berth up` beneath it.
std::string database_directory(const std::string& given) {
    if (!given.empty()) return given;
    const ClusterDir cluster = ClusterDir::find({});
    std::error_code ignored;
    return (fs::is_directory(cluster.state(), ignored) ? cluster.state() : cluster.path()).string();
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
           ". If nodes of other hosts had joined, put the lost controller's there first "
           "(ca.key, ca.pem, token.key); else all of them join anew.\n";
}

}  // namespace

int backup(const BackupOptions& options, Output& output) {
    const auto done = back_up(database_directory(options.state), options.file);
    if (!done.ok()) return output.fail(done.error().message);
    output.out() << options.file << ": " << described(*done)
                 << "; recovered from once, and whole\n";
    return 0;
}

int restore(const BackupOptions& options, Output& output) {
    const std::string directory = database_directory(options.state);
    const auto done = berth::restore(options.file, directory, {.skip_jobs = options.skip_jobs});
    if (!done.ok()) return output.fail(done.error().message);
    output.out() << directory << ": " << described(*done) << "; the next job is " << done->next_job
                 << ". Start the controller.\n"
                 << word_about_keys(fs::path(directory) / "keys");
    return 0;
}

}  // namespace berth::cli
