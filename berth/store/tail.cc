#include "berth/store/tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "berth/store/crc32c.h"
#include "berth/store/disk_file.h"

namespace berth {

namespace {

// "BrthTail", the sequence, the hash, and a checksum of these three; numbers are little-endian.
constexpr std::string_view kMark = "BrthTail";
constexpr std::size_t kCrcAt = 24, kBytes = 28;
constexpr int kReads = 5;

using Block = std::array<char, kBytes>;

void put(Block& block, std::size_t at, std::uint64_t number, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
        block[at + i] = static_cast<char>(number >> (8 * i) & 0xff);
}

std::uint64_t number_at(const Block& block, std::size_t at, std::size_t bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < bytes; ++i)
        number |= std::uint64_t{static_cast<unsigned char>(block[at + i])} << (8 * i);
    return number;
}

Block block_of(Chain last) {
    Block block{};
    kMark.copy(block.data(), kMark.size());
    put(block, 8, last.sequence, 8);
    put(block, 16, last.hash, 8);
    put(block, kCrcAt, crc32c({block.data(), kCrcAt}), 4);
    return block;
}

std::optional<Chain> chain_in(const Block& block) {
    const Chain chain{number_at(block, 8, 8), number_at(block, 16, 8)};
    if (block != block_of(chain)) return std::nullopt;
    return chain;
}

}  // namespace

std::string tail_path(const std::string& database) { return database + ".tail"; }

Result<std::optional<Chain>> read_tail(const std::string& database) {
    const std::string path = tail_path(database);
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0 && errno == ENOENT) return std::optional<Chain>();
    if (file < 0) return file_error(path);
    std::optional<Chain> chain;
    // A controller may be writing at this moment.
    for (int i = 0; i < kReads && !chain; ++i) {
        Block block{};
        if (::pread(file, block.data(), block.size(), 0) == static_cast<ssize_t>(block.size()))
            chain = chain_in(block);
    }
    ::close(file);
    if (chain) return chain;
    return Error{ErrorCode::failed_precondition,
                 path + " is damaged, so nothing tells whether records are missing"};
}

Result<TailFile> TailFile::open(const std::string& database, Chain last) {
    std::string path = tail_path(database);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return file_error(path);
    TailFile file(path, fd);
    if (::fchmod(fd, 0600) != 0) return file_error(path);
    BERTH_CHECK(file.write(last));
    if (::fsync(fd) != 0) return file_error(path);
    const std::string folder = std::filesystem::path(path).parent_path().string();
    BERTH_CHECK(sync_directory(folder.empty() ? "." : folder));
    return file;
}

TailFile::TailFile(TailFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

TailFile::~TailFile() {
    if (file_ >= 0) ::close(file_);
}

Status TailFile::write(Chain last) {
    const Block block = block_of(last);
    if (::pwrite(file_, block.data(), block.size(), 0) == static_cast<ssize_t>(block.size()))
        return Done{};
    return file_error(path_);
}

std::optional<std::string> loss_told_by(const Chain& tail, const Chain& found,
                                        const std::optional<Chain>& at_tail) {
    if (found.sequence < tail.sequence) {
        const std::uint64_t missing = tail.sequence - found.sequence;
        return "ends at record " + std::to_string(found.sequence) + ", and record " +
               std::to_string(tail.sequence) + " was written: " + std::to_string(missing) +
               (missing == 1 ? " record is missing" : " records are missing");
    }
    if (!at_tail || at_tail->hash == tail.hash) return std::nullopt;
    return "has another record " + std::to_string(tail.sequence) +
           " than was written, or others before it: it is not the file that was here last";
}

}  // namespace berth
