// What sbcast runs on each node: the file comes by standard input and appears whole, or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace berth::slurm {

struct BroadcastFile {
    std::string destination;
    std::int64_t size = 0;
    unsigned mode = 0600;  // Its permission bits.
    bool force = false;    // A file that is there already is replaced.
    bool preserve = false;
    std::int64_t accessed = 0, modified = 0;  // Seconds since 1970.
};

// The arguments of the step. It ends with 17 where the file is there already, 2 where its folder is
// not, as Slurm's sbcast does.
std::vector<std::string> broadcast_command(const BroadcastFile& file);

}  // namespace berth::slurm
