// Replica: makes a snapshot without the controller's help. It recovers a second state from the
// file, as a restart would, on a thread of its own, and encodes that. The controller is not held
// up, and each snapshot proves that the file can be recovered from.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/store/chain.h"

namespace berth {

struct SnapshotSlices {
    Chain last;                       // Of the records they include.
    std::vector<std::string> slices;  // Packed.
};

SnapshotSlices packed(Chain last, std::vector<std::string> slices);

class Replica {
public:
    Replica(std::string path, std::string vfs, std::size_t slice_bytes);
    ~Replica();  // Waits for the thread; it hurries.

    // nullopt: still at work. To be asked until it answers, and then no more.
    std::optional<Result<SnapshotSlices>> take();

private:
    struct Work;
    std::unique_ptr<Work> work_;
};

}  // namespace berth
