// FileDisk: the agent's durable memory, as a log of batches and a snapshot. A batch costs one sync.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "berth/agent/ports.h"
#include "berth/host/os/unique_fd.h"

namespace berth {

class FileDisk : public Disk {
public:
    // Creates the folder if it does not exist and locks it: two agents never share one.
    static Result<std::unique_ptr<FileDisk>> open(const std::string& folder);

    // All entries.
    std::vector<MemoryWrite> stored() const;

    // After an error, further writes fail: what is on disk is uncertain until it is read again.
    Status write(std::span<const MemoryWrite> writes) override;

    // When the log grows beyond this, it is folded into the snapshot. Default: 4 MiB.
    void set_log_limit(std::size_t bytes) { log_limit_ = bytes; }

private:
    explicit FileDisk(std::string folder) : folder_(std::move(folder)) {}
    Status lock();
    Status read_snapshot();
    Status read_log();
    Status append(std::string_view record);
    Status fold();

    std::string folder_;
    UniqueFd lock_, log_;
    std::map<std::string, std::string> memory_;
    std::uint64_t sequence_ = 0;  // Of the last batch.
    std::size_t log_size_ = 0;
    std::size_t log_limit_ = std::size_t{4} << 20;
    bool broken_ = false;
};

}  // namespace berth
