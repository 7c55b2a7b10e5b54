// Finding: something to say about the configuration, at file and line, with what would be right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace berth::config {

enum class Severity : unsigned char {
    error,    // Real Slurm would not start, or we cannot do what is asked: the daemon stops.
    warning,  // It starts, but something is not as it was written.
    note,     // It is understood, and has no effect yet.
};

struct Finding {
    Severity severity = Severity::error;
    std::string file;
    std::size_t line = 0;  // From 1; 0: the file as a whole.
    std::string message;
};

// "slurm.conf:12: error: …"
std::string to_string(const Finding& finding);

class Findings {
public:
    void add(Severity severity, std::string file, std::size_t line, std::string message) {
        all_.push_back({severity, std::move(file), line, std::move(message)});
    }
    const std::vector<Finding>& all() const { return all_; }
    bool has_errors() const;
    void sort();  // By file in order of first mention, then by line.

private:
    std::vector<Finding> all_;
};

}  // namespace berth::config
