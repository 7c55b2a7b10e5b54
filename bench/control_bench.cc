// How fast the controller is, as its users have it: a real berthd on a real disk, asked over HTTP,
// with a thousand agents at its other end. Whoever is answered is looked for afterwards: a job that
// was accepted must be there, and must have run once.
//
// control_bench [--json FILE] [--only TEXT]. Exits 1 where a row misses what is asked, and names
// it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "bench/control_cases.h"
#include "bench/http_load.h"
#include "bench/json_number.h"
#include "bench/live_daemon.h"

namespace berth::bench {
namespace {

std::string load_average() {
    double loads[3] = {};
    (void)getloadavg(loads, 3);
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", loads[0]);
    return text;
}

// What one write and its sync take here: beneath every figure that says "durable".
Row measure_sync() {
    const char* const base = std::getenv("TMPDIR");
    std::string path = std::string(base == nullptr ? "/tmp" : base) + "/berth-sync-XXXXXX";
    const int file = mkstemp(path.data());
    if (file < 0) give_up("cannot make a file like " + path);
    unlink(path.c_str());
    const std::string page(4096, 'x');
    Times times;
    for (int i = 0; i < 300; ++i) {
        const auto start = std::chrono::steady_clock::now();
        if (pwrite(file, page.data(), page.size(), (i % 64) * 4096) < 0 || fdatasync(file) != 0)
            give_up("cannot write to " + path);
        times.add(milliseconds_since(start));
    }
    close(file);
    return {"disk: 4 KiB and a sync",
            times.at(0.5),
            "ms",
            0,
            false,
            "median of 300; worst " + std::to_string(times.at(1)).substr(0, 5)};
}

std::string noise_text(const Row& row) {
    if (row.unsure == 0) return "";
    char text[40];
    std::snprintf(text, sizeof text, "+- %.2f ", row.unsure);
    return text;
}

void print(const Row& row) {
    std::string asked;
    if (row.asked != 0) {
        asked = std::string(row.at_least ? ">= " : "<= ") +
                std::to_string(static_cast<long>(row.asked)) +
                (row.is_met() ? "  ok    " : "  MISSED");
    }
    std::printf("%-44s %10.2f %s%-5s %-18s %s\n", row.what.c_str(), row.value,
                noise_text(row).c_str(), row.unit.c_str(), asked.c_str(), row.how.c_str());
    for (const std::string& note : row.notes) std::printf("    %s\n", note.c_str());
    std::fflush(stdout);
}

void write_json(const std::vector<Row>& rows, const std::string& file) {
    std::ofstream out(file);
    out << "[\n";
    for (const Row& row : rows) {
        out << "  {\"what\": \"" << row.what << "\", \"value\": " << json_number(row.value)
            << ", \"unsure\": " << json_number(row.unsure) << ", \"unit\": \"" << row.unit
            << "\", \"asked\": " << json_number(row.asked)
            << ", \"at_least\": " << (row.at_least ? "true" : "false")
            << ", \"met\": " << (row.is_met() ? "true" : "false") << ", \"how\": \"" << row.how
            << "\"}" << (&row == &rows.back() ? "\n" : ",\n");
    }
    out << "]\n";
    if (!out.flush()) give_up("cannot write " + file);
}

int run(const std::string& only, const std::string& json) {
    const std::vector<Case> cases{{"disk", [] { return std::vector<Row>{measure_sync()}; }},
                                  {"array", measure_arrays},
                                  {"submit", measure_submissions},
                                  {"flow", measure_flow},
                                  {"queue", measure_long_queue},
                                  {"readers", measure_readers},
                                  {"pollers", measure_pollers}};
    std::vector<Row> rows;
    for (const Case& one : cases) {
        if (one.name.find(only) == std::string::npos) continue;
        std::printf("-- %s (load average %s)\n", one.name.c_str(), load_average().c_str());
        for (Row& row : one.run()) {
            print(row);
            rows.push_back(std::move(row));
        }
    }
    if (!json.empty()) write_json(rows, json);
    bool all_met = !rows.empty();
    for (const Row& row : rows) {
        if (row.is_met()) continue;
        all_met = false;
        std::cerr << "MISSED " << row.what << ": " << row.value << " " << noise_text(row)
                  << row.unit << ", asked " << row.asked
                  << (row.unsure > row.asked ? ": the noise exceeds the gate" : "") << "\n";
    }
    return all_met ? 0 : 1;
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
    std::string only, json;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if ((name != "--json" && name != "--only") || i + 1 == argc) {
            std::cerr << "usage: control_bench [--json FILE] [--only TEXT]\n";
            return 2;
        }
        (name == "--json" ? json : only) = argv[++i];
    }
    return berth::bench::run(only, json);
}
