// ImportPlan: what `berth import slurm` will make of a Slurm site, and what will differ. On texts:
// nothing here reads a disk or calls the controller.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/config/load.h"
#include "berth/slurm/admin/sacctmgr_show.h"
#include "berth/slurm/moving/moved_jobs.h"
#include "berth/slurm/moving/moved_reservations.h"

namespace berth::cli {

// Names are those that messages show.
struct ImportTexts {
    config::ConfigFiles config;
    std::optional<config::ConfigText> qos;           // sacctmgr -P show qos
    std::optional<config::ConfigText> accounts;      // sacctmgr dump
    std::optional<config::ConfigText> reservations;  // scontrol show reservation -o
    std::optional<config::ConfigText> usage;         // sshare -a -P -o Account,User,RawUsage
    std::optional<config::ConfigText> jobs;          // scontrol show job -o
    std::optional<config::ConfigText> owners;        // squeue -h -o "%A|%u"
    std::map<std::uint32_t, std::string> scripts;    // scontrol write batch_script, by job.
};

struct ImportPlan {
    std::string cluster;                    // As the configuration calls it.
    std::vector<config::Finding> findings;  // What differs; errors name what is not moved.
    std::size_t errors = 0;
    std::size_t unread = 0;  // Of them: files of which nothing can be taken.
    std::size_t nodes = 0, partitions = 0, accounts = 0, users = 0;

    std::vector<AccountingEdits> edits;  // QOS first; one call each, in this order.
    std::size_t qos = 0;
    std::vector<UsageSet::Entry> usage;
    std::vector<api::ReservationCall> reservations;
    std::vector<slurm::MovedJob> jobs;
};

// `there`: what the cluster has already; nullopt: what a new one has, of this configuration.
ImportPlan plan_import(const ImportTexts& texts, slurm::MovedState state,
                       const std::optional<slurm::AccountingView>& there, Time now);

}  // namespace berth::cli
