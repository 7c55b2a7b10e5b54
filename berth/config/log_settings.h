// LogSettings: where a daemon writes its log, and how much: SlurmctldLogFile, SlurmctldDebug and
// their like of slurm.conf. Options of the command line come first.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/base/log.h"
#include "berth/model/cluster_spec.h"

namespace berth::config {

struct LogSettings {
    std::string file;  // Empty: slurm.conf says none.
    std::optional<LogLevel> least;
};

// Of berthd (SlurmctldLogFile, SlurmctldDebug).
LogSettings controller_log(const ClusterSpec& spec);

// Of the agent of this node (SlurmdLogFile, SlurmdDebug): %n is its name, %h its host's.
LogSettings agent_log(const ClusterSpec& spec, std::string_view node, std::string_view host);

// "info", "debug2", "6"; nullopt: Slurm has no such level.
std::optional<LogLevel> log_level_of(std::string_view word);

}  // namespace berth::config
