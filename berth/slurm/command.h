// Command: how a Slurm-named command is called. It sees no process of its own, so that a test can
// run it.
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

int run_salloc(const Invocation& call, Streams& streams);
int run_sbatch(const Invocation& call, Streams& streams);
int run_srun(const Invocation& call, Streams& streams);
int run_sattach(const Invocation& call, Streams& streams);
int run_sbcast(const Invocation& call, Streams& streams);
int run_scancel(const Invocation& call, Streams& streams);
int run_scontrol(const Invocation& call, Streams& streams);
int run_squeue(const Invocation& call, Streams& streams);
int run_sinfo(const Invocation& call, Streams& streams);
int run_sprio(const Invocation& call, Streams& streams);
int run_sdiag(const Invocation& call, Streams& streams);
int run_sshare(const Invocation& call, Streams& streams);
int run_sstat(const Invocation& call, Streams& streams);
int run_sacct(const Invocation& call, Streams& streams);
int run_sacctmgr(const Invocation& call, Streams& streams);

inline constexpr const char* kVersion =
    "slurm 25.11.0";  // What -V prints, exactly: tools compare it.

}  // namespace berth::slurm
