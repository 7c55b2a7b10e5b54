// Replica: makes a snapshot without work for the controller. On its own thread it recovers a second
// state from the file, as a restart would, and encodes that. So the controller is not delayed, and
// each snapshot proves that the file can be recovered.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/store/chain.h"

namespace berth {

struct SnapshotSlices {
    Chain last;                       // Up to the last record that the snapshot includes.
    std::vector<std::string> slices;  // Compressed.
};

SnapshotSlices packed(Chain last, std::vector<std::string> slices);

class Replica {
public:
    Replica(std::string path, std::string vfs, std::size_t slice_bytes);
    ~Replica();  // Waits for the thread, which stops early.

    // nullopt: still at work. Call until it returns a result, then no more.
    std::optional<Result<SnapshotSlices>> take();

private:
    struct Work;
    std::unique_ptr<Work> work_;
};

}  // namespace berth
