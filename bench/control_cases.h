// What control_bench measures: DESIGN §4's durable rates, each on a daemon of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace berth::bench {

struct Row {
    std::string what;  // "flow: jobs a second".
    double value = 0;
    std::string unit;
    double asked = 0;  // 0: nothing is; it is there to be known.
    bool at_least = false;
    std::string how;
    std::vector<std::string> notes;  // Printed under it.
    double unsure = 0;               // Twice the standard error of the value, in its unit.

    // A figure whose noise exceeds its gate has not met it.
    bool is_met() const {
        if (asked == 0) return true;
        return unsure <= asked && (at_least ? value >= asked : value <= asked);
    }
};

struct Case {
    std::string name;
    std::function<std::vector<Row>()> run;
};

// control_writes.cc
std::vector<Row> measure_arrays();
std::vector<Row> measure_submissions();
std::vector<Row> measure_flow();
// control_queue.cc
std::vector<Row> measure_long_queue();
// control_readers.cc
std::vector<Row> measure_readers();
// control_pollers.cc
std::vector<Row> measure_pollers();

}  // namespace berth::bench
