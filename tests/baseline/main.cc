// baseline: prints decisions of simulated worlds, and writes tests/baseline anew. When that is
// allowed: tests/baseline/README.md.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "berth/store/replay.h"
#include "tests/baseline/folder.h"
#include "tests/baseline/worlds.h"
#include "tests/baseline/written_files.h"

namespace berth::baseline {
namespace {

int decisions(std::uint64_t seed) {
    for (const std::string& line : decisions_of(run_unbounded(seed)).lines) std::puts(line.c_str());
    return 0;
}

int line(std::uint64_t seed) {
    std::fputs(to_line(seed, decisions_of(run_unbounded(seed))).c_str(), stdout);
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

bool write_text(const std::string& name, const Result<std::string>& text) {
    if (!text.ok()) std::fprintf(stderr, "%s: %s\n", name.c_str(), text.error().message.c_str());
    std::ofstream file(path_of(name));
    if (text.ok()) file << *text;
    return text.ok() && file.flush();
}

int write_files() {
    const std::string store = path_of("store"), memory = path_of("memory"),
                      ledger = path_of("ledger");
    for (const Status& written : {write_store(store, false), write_store(path_of("snapshot"), true),
                                  write_memory(memory), write_ledger(ledger)}) {
        if (written.ok()) continue;
        std::fprintf(stderr, "%s\n", written.error().message.c_str());
        return 1;
    }
    const auto replayed = replay(store);
    if (!replayed.ok()) return 1;
    bool good = write_text("state.txt", visible(replayed->state, ""));
    good &= write_text("facts.txt", facts_of(store, ""));
    good &= write_text("accounting.txt", accounting_of(store, ""));
    good &= write_text("memory.txt", memory_of(memory, ""));
    good &= write_text("ledger.txt", ledger_of(ledger, ""));
    for (const char* const left : {"store/berth.db-shm", "store/berth.db-wal"}) {  // By reading it.
        std::remove(path_of(left).c_str());
    }
    return good ? 0 : 1;
}

int write_world_journal() {
    const Status written = write_journal(path_of("journals/world"), journal_of(kJournalWorld));
    if (!written.ok()) std::fprintf(stderr, "%s\n", written.error().message.c_str());
    return written.ok() ? 0 : 1;
}

int run(const std::string& command, const std::string& argument) {
    if (command == "decisions" && !argument.empty()) return decisions(std::stoull(argument));
    if (command == "line" && !argument.empty()) return line(std::stoull(argument));
    if (command == "write" && argument == "worlds") return write_worlds();
    if (command == "write" && argument == "files") return write_files();
    if (command == "write" && argument == "journal") return write_world_journal();
    std::fputs(
        "baseline decisions SEED   the decisions of this simulated world, one a line\n"
        "baseline line SEED        its line, as worlds_changed.txt has it\n"
        "baseline write worlds     write tests/baseline/worlds.txt anew: see README.md there\n"
        "baseline write files      the same of the files that programs write\n"
        "baseline write journal    the same of journals/world\n",
        stderr);
    return 2;
}

}  // namespace
}  // namespace berth::baseline

int main(int argc, char** argv) {
    return berth::baseline::run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
}
