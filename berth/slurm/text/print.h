// Print: the small texts that several commands share: times, array ids, states.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/api/row_text.h"

namespace berth::slurm {

using api::gres_text;
using api::het_id_set;
using api::nodes_text;
using api::preferred_features;
using api::step_name;

// "2026-08-20T17:10:37" in this machine's time zone; `otherwise` where there is none.
std::string local_time(const std::optional<Time>& at, std::string_view otherwise);

// "Fri Nov 20 23:43:31 2026", the first line of squeue -l and sinfo -l.
std::string local_date_line(Time at);

// "12", "12_3", "12_[0-5%2]", "12+1": how users name this job.
std::string job_id_text(const api::JobRow& job);

// "PD", "R", "CG" … of "PENDING", "RUNNING", "COMPLETING" …; and back to the long name from either,
// in any case. Empty if it is no state.
std::string_view compact_state(std::string_view state);
// As Slurm names it: a job in SPECIAL_EXIT waits.
std::string_view slurm_state(const api::JobRow& job);
std::string_view state_from_text(std::string_view text);
std::string state_names();  // "PENDING,RUNNING,…", all of them.

// For how long it has run, or ran.
Duration run_time(const api::JobRow& job, Time now);

// "0:0", "3:0", "0:15".
std::string exit_text(const ExitStatus& exit);

// The steps of a job that runs, its batch script first. None, if it does not run.
std::vector<api::StepRow> running_steps(const api::JobRow& job, Time now);

std::string count_or_star(std::uint32_t count);                     // "*" for 0.
std::string or_null(const std::string& text);                       // "(null)" for an empty one.
std::string user_text(std::uint32_t uid, const std::string& name);  // "games(5)"

// It is up, and new jobs may start on it.
bool takes_work(const api::NodeRow& node);

// What sinfo prints for a node: "idle", "mix", "alloc*", "drng"; long: "allocated", "draining" …
std::string node_state(const api::NodeRow& node, bool compact);

}  // namespace berth::slurm
