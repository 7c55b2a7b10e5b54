// FileDisk: the agent's durable memory as a log of batches and a snapshot. A batch costs one sync.
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
    // The folder is made if it is not there, and locked: two agents never share one.
    static Result<std::unique_ptr<FileDisk>> open(const std::string& folder);

    // All that is remembered.
    std::vector<MemoryWrite> stored() const;

    // After an error no further write is taken: what is on disk is in doubt until it is read again.
    Status write(std::span<const MemoryWrite> writes) override;

    // The log is folded into the snapshot when it is longer than this.
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
