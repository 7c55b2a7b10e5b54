// What `berth doctor` looks at, and what it makes of that: what is wrong with this installation,
// and how to mend it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/cli/doctor_host.h"
#include "berth/config/finding.h"

namespace berth::cli {

struct Installation {
    std::string socket;
    bool has_socket = false;
    std::string silence;            // Why the controller does not answer.
    std::optional<api::Ping> ping;  // It does.
    std::string version;            // This program's.
    std::vector<api::NodeRow> nodes;

    std::string config;  // Directory.
    bool has_config = false;
    std::vector<config::Finding> findings;
    std::optional<Time> configured_at;  // The newest of its files.
    bool configures_gpus = false, has_gpus = false;

    std::string state;  // Directory of the database; empty: none is known here.
    bool has_state = false, others_may_read_state = false;
    std::int64_t free_bytes = 0;

    Time now{};
    std::string agent_state = "/var/lib/berth-agent";
    std::string certified_as;             // The node that this host's certificate names, if any …
    std::optional<Time> certified_until;  // … and until when.
    std::string certificate_trouble;

    bool is_root = false, has_cgroups = false;
    HostFacts host;
    Duration answer_took{};                            // Of the ping.
    std::vector<std::pair<std::string, int>> waiting;  // Jobs by their reason, as squeue has it.
    // Commands that PATH finds elsewhere than beside this program: name and path.
    std::vector<std::pair<std::string, std::string>> foreign_commands;
};

struct Symptom {
    enum class Is : unsigned char { well, worth_knowing, wrong } is = Is::well;
    std::string what;
    std::string mend;  // Empty where all is well.
};

// In the order in which to see to them.
std::vector<Symptom> diagnose(const Installation& installation);

}  // namespace berth::cli
