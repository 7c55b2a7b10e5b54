// Any fuzz target as a test, whatever the compiler: its seeds, and inputs that come of them by
// chance that is the same each time. It finds little that libFuzzer would not; it shows that each
// target builds, and takes what it took before.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "berth/base/rng.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

constexpr int kTries = 2000;

void run(const std::string& input) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::vector<std::string> seeds_in(const std::filesystem::path& folder) {
    // A target that keeps no seeds has what most texts look like.
    std::vector<std::string> seeds = {"", "0", R"({"a": [1, "b", null]})", "a=1,b[2-4]:c\n# d\n",
                                      std::string(64, '\0')};
    if (!std::filesystem::exists(folder)) return seeds;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    std::ranges::sort(seeds);
    return seeds;
}

// One to four places cut, doubled, or with another byte.
std::string changed(std::string input, berth::Rng& rng) {
    const auto below = [&rng](std::size_t end) { return rng.next() % end; };
    for (std::size_t n = below(4) + 1; n > 0; --n) {
        const std::size_t at = below(input.size() + 1);
        switch (below(4)) {
            case 0: input.erase(at, below(16)); break;
            case 1: input.insert(at, input.substr(at, below(64))); break;
            case 2: input.insert(at, 1, static_cast<char>(below(256))); break;
            default:
                if (at < input.size()) input[at] = static_cast<char>(below(256));
        }
    }
    return input;
}

}  // namespace

int main(int, char** arguments) {  // NOLINT(bugprone-exception-escape): it is to end by any.
    const std::vector<std::string> seeds = seeds_in(arguments[1]);
    for (const std::string& seed : seeds) run(seed);
    berth::Rng rng(1);
    for (int i = 0; i < kTries; ++i) run(changed(seeds[rng.next() % seeds.size()], rng));
    std::printf("%zu seeds, %d inputs that came of them\n", seeds.size(), kTries);
}
