#include "berth/slurm/jobs/bcast_program.h"

#include <unistd.h>

#include <filesystem>
#include <ostream>
#include <utility>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/slurm/jobs/broadcast.h"
#include "berth/slurm/options/submit_environment.h"

namespace berth::slurm {
namespace {

// $1 the copy, $2 whether its name ends with the node's, $3 whether there is a folder of libraries.
constexpr const char* kRunCopy = R"sh(
copy=$1
[ "$2" != 1 ] || copy=$copy$SLURMD_NODENAME
[ "$3" != 1 ] || export LD_LIBRARY_PATH="${copy}_libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
shift 3
exec "$copy" "$@"
)sh";

// As Slurm: an absolute path, or a folder, where each node's copy has a name of its own.
void set_destination(const OfBroadcast& broadcast, const std::string& folder,
                     const std::string& job, BroadcastFile& file) {
    const std::string asked = broadcast.to.value_or("");
    file.destination = asked.starts_with('/') ? asked : folder + "/";
    if (!file.destination.ends_with('/')) return;
    file.destination += "slurm_bcast_" + job + "." + std::to_string(::getpid()) + "_";
    file.names_node = true;
}

}  // namespace

std::string find_program(const std::string& program, const Invocation& call,
                         const std::string& folder) {
    const auto may_run = [](const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
    };
    if (program.find('/') != std::string::npos) {
        const std::filesystem::path path = std::filesystem::path(folder) / program;
        return may_run(path) ? path.string() : "";
    }
    const std::string* const list = call.variable("PATH");
    if (list == nullptr) return {};
    for (const std::string_view one : split(*list, ':')) {
        const std::filesystem::path path = std::filesystem::path(folder) / one / program;
        if (may_run(path)) return path.string();
    }
    return {};
}

std::vector<std::string> command_of_copy(const BroadcastFile& file, bool has_libraries,
                                         std::vector<std::string> command) {
    if (!file.names_node && !has_libraries) {
        command.front() = file.destination;
        return command;
    }
    std::vector<std::string> words{"/bin/sh",
                                   "-c",
                                   kRunCopy,
                                   "srun",
                                   file.destination,
                                   file.names_node ? "1" : "0",
                                   has_libraries ? "1" : "0"};
    words.insert(words.end(), command.begin() + 1, command.end());
    return words;
}

Result<std::vector<std::string>> broadcast_program(const Invocation& call, Client& client,
                                                   Streams& streams, const JobDraft& draft,
                                                   const std::string& job,
                                                   std::vector<std::string> command) {
    const OfBroadcast& broadcast = draft.of_step.broadcast;
    if (draft.of_step.multi_prog) {
        return Error{ErrorCode::failed_precondition,
                     "--bcast is not supported with --multi-prog: run sbcast for each program"};
    }
    const std::string folder = work_dir_of(draft.spec.command->work_dir);
    const std::string source = find_program(command.front(), call, folder);
    if (source.empty()) return invalid_argument("Can not execute " + command.front());
    const Error failed =
        invalid_argument("Failed to broadcast '" + source + "'. Step launch aborted.");
    const auto jobs = client.job(job);
    if (!jobs || jobs->empty()) return failed;
    if (broadcast.compresses) {
        streams.err << call.name +
                           ": warning: --compress has no effect: the program is sent "
                           "uncompressed\n";
    }
    BERTH_TRY(BroadcastFile file, file_to_send(source));
    set_destination(broadcast, folder, job, file);
    file.force = file.preserve = true;
    const BroadcastNodes to{.job = job, .count = jobs->front().node_count, .names = {}};
    if (send_file(call, client, streams, to, source, file) != 0) return failed;
    const bool has_libraries =
        broadcast.libraries &&
        send_libraries(call, client, streams, to, source, file,
                       broadcast.exclude.value_or(std::string(kNoLibrariesOf)));
    return command_of_copy(file, has_libraries, std::move(command));
}

}  // namespace berth::slurm
