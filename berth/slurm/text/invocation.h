// Invocation: how a Slurm-named command is called. The command does not touch its process, so that
// a test can run it.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace berth::slurm {

struct Invocation {
    std::string name;                                // "squeue"
    std::vector<std::string> arguments;              // Without the name.
    std::map<std::string, std::string> environment;  // SLURM_*, SQUEUE_FORMAT, TZ …

    const std::string* variable(const std::string& variable_name) const {
        const auto found = environment.find(variable_name);
        return found == environment.end() ? nullptr : &found->second;
    }
};

struct Streams {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
};

// Each returns its exit code.
using Command = int (*)(const Invocation&, Streams&);

inline constexpr const char* kVersion =
    "slurm 25.11.0";  // What -V prints, exactly: tools compare it.

}  // namespace berth::slurm
