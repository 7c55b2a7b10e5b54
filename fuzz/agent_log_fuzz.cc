// What an agent kept on its disk, with other bytes somewhere in its log or snapshot: it is read, or
// refused as damaged; a torn end is cut off, and then it reads the same again.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "berth/base/assert.h"
#include "berth/host/node/file_disk.h"

using berth::FileDisk;
using berth::MemoryWrite;

namespace {

struct Made {
    Made() {
        auto disk = *FileDisk::open(folder);
        for (std::size_t n = 0; n < 6; ++n) {
            const std::vector<MemoryWrite> writes = {{"tombstone." + std::to_string(n), "1"},
                                                     {"epoch", std::to_string(n)}};
            if (n == 2) disk->set_log_limit(0);  // The next write folds it.
            if (!disk->write(writes).ok()) std::abort();
            disk->set_log_limit(1 << 20);
        }
        disk.reset();
        log = content("log");
        snapshot = content("memory");
    }
    std::string content(const char* name) const {
        std::ifstream file(folder + '/' + name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void put(const char* name, std::string_view bytes) const {
        std::ofstream(folder + '/' + name, std::ios::binary) << bytes;
    }
    std::string folder = [] {
        std::string pattern = std::filesystem::is_directory("/dev/shm") ? "/dev/shm/berth-XXXXXX"
                                                                        : "/tmp/berth-XXXXXX";
        return std::string(::mkdtemp(pattern.data()));
    }();
    std::string log, snapshot;
};

// Cut after the first two bytes' number, and overwritten at the next two's.
std::string edited(std::string file, std::string_view how) {
    if (how.size() < 4) return std::string(how);
    const auto number = [&how](std::size_t at) {
        return static_cast<unsigned char>(how[at]) * 256U + static_cast<unsigned char>(how[at + 1]);
    };
    file.resize(std::min<std::size_t>(number(0), file.size()));
    const std::size_t at = number(2) % (file.size() + 1);
    how.remove_prefix(4);
    return file.replace(at, std::min(how.size(), file.size() - at), how);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const Made& made = *new Made;
    if (size == 0) return 0;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    const std::string_view how(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    const bool of_log = bytes[0] % 2 == 0;
    made.put("log", of_log ? edited(made.log, how) : made.log);
    made.put("memory", of_log ? made.snapshot : edited(made.snapshot, how));
    std::vector<MemoryWrite> first;
    {
        const auto disk = FileDisk::open(made.folder);
        if (!disk.ok()) return 0;
        first = (*disk)->stored();
    }
    const auto again = FileDisk::open(made.folder);
    BERTH_ASSERT(again.ok() && (*again)->stored().size() == first.size());
    return 0;
}
