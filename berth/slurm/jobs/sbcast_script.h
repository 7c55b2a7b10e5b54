// The step of sbcast on each node: reads the file from standard input, and creates it whole or not
// at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace berth::slurm {

struct BroadcastFile {
    std::string destination;
    std::int64_t size = 0;
    unsigned mode = 0600;  // Its permission bits.
    bool force = false;    // Replaces an existing file.
    bool preserve = false;
    std::int64_t accessed = 0, modified = 0;  // Seconds since 1970.
    bool names_node = false;                  // The node's name stands behind `destination` …
    std::string behind;                       // … and this behind it.
    bool makes_folder = false;                // Where there is none yet.
};

// The arguments of the step. It exits with 17 if the file exists, 2 if its folder does not, as
// Slurm's sbcast does.
std::vector<std::string> broadcast_command(const BroadcastFile& file);

}  // namespace berth::slurm
