// Subcommands: what each subcommand of `berth` does, with its options already read. Each returns an
// exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/cli/output.h"

namespace berth::cli {

struct UpOptions {
    std::string state, slurm_conf;
    std::optional<std::string> simulate_gpus;
    std::optional<std::uint32_t> nodes, cpus;
    bool replace_config = false;  // That of a cluster that has one.
    bool lenient = false;
    bool accept_loss = false;  // Of records that the state should have.
};
int up(const UpOptions& options, Output& output);

// This machine, in the words of the configuration files.
int detect(Output& output);

struct DownOptions {
    std::string state;
    bool kill = false;
};
int down(const DownOptions& options, Output& output);
int status(const std::string& state, bool json, Output& output);

// Where a job is to run: the options that sbatch takes as --berth-affinity and so on.
struct PlaceOptions {
    std::string affinity, anti_affinity;
    std::string gpu_memory, compute_capability, switches;
    bool pack = false, compact = false;
};
// When it starts, and what becomes of it otherwise.
struct TermOptions {
    std::string priority_class, max_wait, checkpoint, restart_cost;
};
struct SubmitOptions {
    std::string script, wrap, name, partition, account, qos, time, gpus, constraint;
    std::uint32_t nodes = 0, tasks = 0, cpus = 0;
    std::string memory, out;
    PlaceOptions place;
    TermOptions terms;
    std::vector<std::string> arguments;
    bool json = false;
};
int submit(const SubmitOptions& options, Output& output);
int run(const SubmitOptions& options,
        Output& output);  // Submits, follows, and returns the job's exit code.

int queue(bool all, bool json, Output& output);
int why(const std::string& job, bool json, Output& output);
int logs(const std::string& job, bool follow, Output& output);
int cancel(const std::vector<std::string>& jobs, Output& output);
// Says that a checkpoint is saved. `job`: empty: the one that this runs in.
int checkpoint_done(std::string job, Output& output);
int nodes(bool json, Output& output);

// Queues with their quotas; all, or these.
int queues_show(const std::vector<std::string>& names, bool json, Output& output);
struct QueueSetOptions {
    std::string name;
    std::vector<std::string> words;  // "nominal=gres/gpu=8"; without a value: taken away.
    bool is_new = false;             // It has no quota yet.
};
int queues_set(const QueueSetOptions& options, Output& output);
int queues_remove(const std::vector<std::string>& names, Output& output);

// What changed quotas would do to the jobs that wait, by a trial on a copy of the state file. Reads
// the file as `berth replay` does, so it runs on the controller's host.
struct WhatIfOptions {
    std::string state;
    std::vector<std::string> words;    // QUEUE OPTION=VALUE ... [QUEUE ...]
    std::vector<std::string> removed;  // Queues that lose their quotas.
    bool json = false;
};
int queues_what_if(const WhatIfOptions& options, Output& output);

// Queues of Volcano and Kueue, and priority classes of Kubernetes, from YAML files: as sections of
// berth.yaml; or their queues sent to the controller.
struct QueueImportOptions {
    std::vector<std::string> files;  // "-": standard input.
    bool apply = false;
};
int queues_import(const QueueImportOptions& options, Output& output);

// What users have used: brought along from `sshare -a -P -o Account,User,RawUsage`, or set to
// nothing, for all or for these.
int usage_import(const std::string& file, Output& output);
int usage_clear(const std::vector<std::string>& users, Output& output);

int policy_list(Output& output);
int config_check(const std::string& directory, bool lenient, bool json, Output& output);

// What is wrong with this installation, and how to mend it.
struct DoctorOptions {
    std::string config, state;  // Directories; empty: those of `berth up`, or of the packages.
    bool json = false;
};
int doctor(const DoctorOptions& options, Output& output);

// What lets machines join as these nodes: printed, and known nowhere else.
struct TokenOptions {
    std::string nodes;  // "gpu[1-3]"
    std::string lifetime = "30m";
    bool json = false;
};
int token_create(const TokenOptions& options, Output& output);
// No certificate that these nodes have is believed any more.
int cert_revoke(const std::string& nodes, Output& output);

// A copy of the whole state file, beside the controller; and a state file from a copy.
struct BackupOptions {
    std::string state, file;
    std::uint32_t skip_jobs = 100'000;
};
int backup(const BackupOptions& options, Output& output);
int restore(const BackupOptions& options, Output& output);

// The state that the journal gives, and whether the daemon's is the same.
struct ReplayOptions {
    std::string state;
    bool verify = false;  // From the oldest snapshot too.
    bool decide = false;  // Decides everything again.
};
int replay(const ReplayOptions& options, Output& output);

// The simulated world: the controller and the agents under faults, one seed after another.
struct SimOptions {
    std::uint64_t first = 1, seeds = 20;
    bool hashes = false;
};
int sim_world(const SimOptions& options, Output& output);

}  // namespace berth::cli
