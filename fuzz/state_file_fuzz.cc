// A state file, or a copy of one, with other bytes somewhere: it is recovered from or refused. And
// any bytes as what stands packed in it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "berth/base/assert.h"
#include "berth/store/backup.h"
#include "berth/store/packing.h"
#include "berth/store/schema.h"
#include "berth/store/small_cluster.h"

namespace berth {
namespace {

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Made {
    Made() {
        std::filesystem::create_directory(folder.path() + "/state");
        testing::SmallCluster cluster(folder.path() + "/state");
        if (!cluster.ok() || !cluster.become_leader(testing::at(1)).ok()) std::abort();
        for (std::uint32_t id = 1; id <= 3; ++id)
            (void)cluster.submit(id, testing::at(id), {.script = std::string(300, 'x')});
        (void)cluster.start(1, testing::at(5), 1, {NodeId(0)});
        if (!back_up(folder.path() + "/state", folder.path() + "/copy").ok()) std::abort();
        good = content(folder.path() + "/copy");
    }
    testing::Folder folder;
    std::string good;
};

// Edits of three bytes for where, and one each for how many and for what.
std::string edited(std::string file, const std::uint8_t* bytes, std::size_t size) {
    for (; size >= 5; bytes += 5, size -= 5) {
        const std::size_t at = (bytes[0] + bytes[1] * 256U + bytes[2] * 65'536U) % file.size();
        const std::size_t length = std::min<std::size_t>(bytes[3] % 16 + 1, file.size() - at);
        file.replace(at, length, length, static_cast<char>(bytes[4]));
    }
    return file;
}

void check_copy(const Made& made, const std::string& file) {
    const std::string path = made.folder.path() + "/edited", to = made.folder.path() + "/restored";
    std::ofstream(path, std::ios::binary) << file;
    const auto restored = restore(path, to, {});
    if (!restored.ok()) BERTH_ASSERT(!std::filesystem::exists(to + '/' + kStateFile));
    std::filesystem::remove_all(to);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const Made& made = *new Made;
    if (size == 0) return 0;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    if (bytes[0] % 2 == 0) {
        check_copy(made, edited(made.good, bytes + 1, size - 1));
    } else if (const auto plain = unpack(text); plain.ok()) {
        BERTH_ASSERT(*unpack(pack(*plain)) == *plain);
    }
    return 0;
}

}  // namespace berth
