// baseline: prints decisions of simulated worlds, and writes tests/baseline anew. When that is
// allowed: tests/baseline/README.md.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/baseline/folder.h"
#include "tests/baseline/worlds.h"

namespace berth::baseline {
namespace {

int decisions(std::uint64_t seed) {
    for (const std::string& line : decisions_of(run_unbounded(seed)).lines) std::puts(line.c_str());
    return 0;
}

int write_worlds() {
    std::ofstream file(path_of("worlds.txt"));
    file << "# seed, digest of its decisions, how many, two digits of the digest after each\n";
    for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) {
        file << to_line(seed, decisions_of(run_unbounded(seed)));
    }
    return file.flush() ? 0 : 1;
}

int run(const std::string& command, const std::string& argument) {
    if (command == "decisions" && !argument.empty()) return decisions(std::stoull(argument));
    if (command == "write" && argument == "worlds") return write_worlds();
    std::fputs(
        "baseline decisions SEED   the decisions of this simulated world, one a line\n"
        "baseline write worlds     write tests/baseline/worlds.txt anew: see README.md there\n",
        stderr);
    return 2;
}

}  // namespace
}  // namespace berth::baseline

int main(int argc, char** argv) {
    return berth::baseline::run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
}
