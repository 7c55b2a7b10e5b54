// Broadcast: files copied to the nodes of a running job, by steps of it that write what this
// program reads. sbcast, and srun --bcast.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/jobs/sbcast_script.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

inline constexpr std::string_view kNoLibrariesOf = "/lib,/usr/lib,/lib64,/usr/lib64";

// The nodes of a running job that a file goes to.
struct BroadcastNodes {
    std::string job;
    std::uint32_t count = 1;
    std::vector<std::string> names;  // Empty: all that the job has.
};

// The size, mode and times of what is to be sent.
Result<BroadcastFile> file_to_send(const std::string& source);

// Sends `source` to where `file` says. An exit code: that of the step, which says what is wrong.
int send_file(const Invocation& call, Client& client, Streams& streams, const BroadcastNodes& to,
              const std::string& source, const BroadcastFile& file);

// "yes", "no"; nullptr: yes.
std::optional<bool> wants_libraries(const char* value);

// What the dynamic linker would load for a program, as ldd says.
Result<std::vector<std::string>> libraries_of(const std::string& program);

// Without those in these folders: "/lib,/opt/lib", or "none".
std::vector<std::string> not_excluded(std::vector<std::string> libraries, std::string_view folders);

// Sends the libraries of `program` into a folder beside its copy, which is `copy` with "_libs"
// behind it. False: there are none to send, or ldd failed, which is said.
bool send_libraries(const Invocation& call, Client& client, Streams& streams,
                    const BroadcastNodes& to, const std::string& program, const BroadcastFile& copy,
                    std::string_view excluded);

}  // namespace berth::slurm
