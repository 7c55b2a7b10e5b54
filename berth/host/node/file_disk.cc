#include "berth/host/node/file_disk.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "berth/base/codec.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

constexpr std::size_t kFileMax = std::size_t{1} << 30;
constexpr std::size_t kHeaderBytes = 16;  // Length and hash of the content, 8 bytes each.

struct Entry {
    std::string key;
    std::optional<std::string> value;
    BERTH_FIELDS(Entry, key, value)
};
// One record of the log; in the snapshot, the whole content.
struct Batch {
    std::uint64_t sequence = 0;
    std::vector<Entry> entries;
    BERTH_FIELDS(Batch, sequence, entries)
};

std::uint64_t hash_of_bytes(std::string_view bytes) {
    StateHash hash;
    hash.add(bytes);
    return hash.value();
}

void put_word(std::string& out, std::uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>((word >> shift) & 0xff);
}

std::uint64_t word_at(std::string_view bytes, std::size_t at) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        word |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    }
    return word;
}

std::string sealed(const Batch& batch) {
    const std::string bytes = encode(batch);
    std::string record;
    put_word(record, bytes.size());
    put_word(record, hash_of_bytes(bytes));
    return record + bytes;
}

// The record at the start of `bytes`; empty if it is incomplete or damaged.
std::string_view unsealed(std::string_view bytes) {
    if (bytes.size() < kHeaderBytes) return {};
    const std::uint64_t length = word_at(bytes, 0);
    if (length == 0 || length > bytes.size() - kHeaderBytes) return {};
    const std::string_view inner = bytes.substr(kHeaderBytes, length);
    return hash_of_bytes(inner) == word_at(bytes, 8) ? inner : std::string_view{};
}

// A crash tears only the last record. Complete records behind a damaged one mean that the disk has
// lost synced data.
bool has_a_record(std::string_view bytes) {
    for (; bytes.size() > kHeaderBytes; bytes.remove_prefix(1)) {
        if (!unsealed(bytes).empty()) return true;
    }
    return false;
}

// A killed process keeps its files open until the last of its threads has ended.
constexpr std::chrono::seconds kDyingFor{3};

Error in_use(const std::string& folder) {
    return {ErrorCode::failed_precondition,
            folder + " is in use by another agent: give each its own state folder"};
}

Error damaged(const std::string& path) {
    return {ErrorCode::internal,
            path +
                " is damaged, so what this node has run is in doubt. Make sure that no job runs "
                "here, then remove the file and start again"};
}

}  // namespace

Result<std::unique_ptr<FileDisk>> FileDisk::open(const std::string& folder) {
    BERTH_CHECK(make_folders(folder, 0700));
    std::unique_ptr<FileDisk> disk(new FileDisk(folder));
    BERTH_CHECK(disk->lock());
    BERTH_CHECK(disk->read_snapshot());
    BERTH_CHECK(disk->read_log());
    return disk;
}

Status FileDisk::lock() {
    const std::string path = folder_ + "/lock";
    lock_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_) return system_error("cannot open " + path, errno);
    const auto until = std::chrono::steady_clock::now() + kDyingFor;
    while (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return system_error("cannot lock " + path, errno);
        if (std::chrono::steady_clock::now() > until) return in_use(folder_);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return Done{};
}

Status FileDisk::read_snapshot() {
    const std::string path = folder_ + "/memory";
    const auto bytes = read_file(path, kFileMax);
    if (!bytes.ok()) {
        if (bytes.error().code == ErrorCode::not_found) return Done{};
        return bytes.error();
    }
    const auto batch = decode<Batch>(unsealed(*bytes));
    if (!batch.ok()) return damaged(path);
    sequence_ = batch->sequence;
    for (const Entry& entry : batch->entries) {
        if (entry.value) memory_[entry.key] = *entry.value;
    }
    return Done{};
}

Status FileDisk::read_log() {
    const std::string path = folder_ + "/log";
    log_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!log_) return system_error("cannot open " + path, errno);
    BERTH_TRY(const std::string bytes, read_file(path, kFileMax));
    std::string_view rest = bytes;
    for (std::string_view one = unsealed(rest); !one.empty(); one = unsealed(rest)) {
        const auto batch = decode<Batch>(one);
        if (!batch.ok()) return damaged(path);
        rest.remove_prefix(kHeaderBytes + one.size());
        // Already folded; the crash came before the log was cut.
        if (batch->sequence <= sequence_) continue;
        if (batch->sequence != sequence_ + 1) return damaged(path);
        sequence_ = batch->sequence;
        for (const Entry& entry : batch->entries) {
            if (entry.value) {
                memory_[entry.key] = *entry.value;
            } else {
                memory_.erase(entry.key);
            }
        }
    }
    if (has_a_record(rest)) return damaged(path);
    log_size_ = bytes.size() - rest.size();
    if (!rest.empty() && ::ftruncate(log_.get(), static_cast<off_t>(log_size_)) != 0) {
        return system_error("cannot cut " + path, errno);
    }
    if (::fsync(log_.get()) != 0) return system_error("cannot sync " + path, errno);
    return sync_folder(folder_);
}

std::vector<MemoryWrite> FileDisk::stored() const {
    std::vector<MemoryWrite> all;
    all.reserve(memory_.size());
    for (const auto& [key, value] : memory_) all.push_back({key, value});
    return all;
}

Status FileDisk::write(std::span<const MemoryWrite> writes) {
    if (writes.empty()) return Done{};
    if (broken_) {
        return Error{ErrorCode::failed_precondition,
                     "an earlier write to " + folder_ + " failed: the agent must start again"};
    }
    Batch batch{++sequence_, {}};
    for (const MemoryWrite& one : writes) batch.entries.push_back({one.key, one.value});
    broken_ = true;  // Unless everything succeeds.
    BERTH_CHECK(append(sealed(batch)));
    for (Entry& entry : batch.entries) {
        if (entry.value) {
            memory_[std::move(entry.key)] = *std::move(entry.value);
        } else {
            memory_.erase(entry.key);
        }
    }
    if (log_size_ > log_limit_) BERTH_CHECK(fold());
    broken_ = false;
    return Done{};
}

Status FileDisk::append(std::string_view record) {
    if (Status wrote = write_all(log_.get(), record); !wrote.ok()) {
        return prefixed(folder_ + "/log", std::move(wrote).error());
    }
    if (::fdatasync(log_.get()) != 0) return system_error("cannot sync " + folder_ + "/log", errno);
    log_size_ += record.size();
    return Done{};
}

// Writes the snapshot first. The log's batches are then obsolete, and the log may be cut.
Status FileDisk::fold() {
    Batch all{sequence_, {}};
    for (const auto& [key, value] : memory_) all.entries.push_back({key, value});
    BERTH_CHECK(write_durably(folder_ + "/memory", sealed(all)));
    if (::ftruncate(log_.get(), 0) != 0 || ::fsync(log_.get()) != 0) {
        return system_error("cannot cut " + folder_ + "/log", errno);
    }
    log_size_ = 0;
    return Done{};
}

}  // namespace berth
