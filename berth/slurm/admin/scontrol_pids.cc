#include "berth/slurm/admin/scontrol_pids.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <ostream>
#include <tuple>

#include "berth/base/text.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/text/print.h"
#include "berth/slurm/text/time_format.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {
namespace {

constexpr std::chrono::seconds kSlurmNoLimit{365 * 24 * 3600};  // As Slurm has it for no limit.
constexpr char kNodeName[] = "SLURMD_NODENAME";

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The number behind `before`, at its last place in the line.
std::string_view number_behind(std::string_view line, std::string_view before) {
    const std::size_t at = line.rfind(before);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = line.substr(at + before.size());
    const std::string_view number = rest.substr(0, rest.find('/'));
    return is_number(number) ? number : std::string_view();
}

// Empty: there is no such file, or it is closed to this user.
std::string contents(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Of an environment as /proc has it; empty: it is not set.
std::string_view variable(std::string_view environment, std::string_view name) {
    for (const std::string_view one : split(environment, '\0')) {
        if (one.starts_with(name) && one.substr(name.size()).starts_with('='))
            return one.substr(name.size() + 1);
    }
    return {};
}

struct Process {
    StepOfProcess of;
    std::string local = "-", global = "-";  // Of a task: its numbers on its node and in the step.
    std::string node;                       // Empty: not known.
};

std::optional<Process> process_of(const std::filesystem::path& folder) {
    const std::string environment = contents(folder / "environ");
    auto of = step_in_cgroups(contents(folder / "cgroup"));
    if (!of) of = step_in_environment(environment);
    if (!of) return std::nullopt;
    Process found{.of = *std::move(of)};
    found.node = variable(environment, kNodeName);
    if (variable(environment, kSlurmTaskPid) == folder.filename().string()) {
        found.local = variable(environment, kSlurmLocalid);
        found.global = variable(environment, kSlurmProcid);
    }
    return found;
}

struct WantedPids {
    std::string job, step, node;  // Empty: any.

    bool has(const Process& one) const {
        return (job.empty() || one.of.job == job) && (step.empty() || one.of.step == step) &&
               (node.empty() || one.node == node);
    }
    std::string nothing_found() const {
        if (job.empty()) return "No job steps exist on this node.";
        if (step.empty()) return "Job " + job + " does not exist on this node.";
        return "Job step " + job + "." + step + " does not exist on this node.";
    }
};

}  // namespace

std::optional<StepOfProcess> step_in_cgroups(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
        if (line.ends_with(" (deleted)")) continue;  // Of a process that nobody has waited for.
        const std::string_view job = number_behind(line, "/job_");
        const std::size_t at = line.rfind("/step_");
        if (job.empty() || at == std::string_view::npos) continue;
        const std::string_view rest = line.substr(at + 6);
        return StepOfProcess{std::string(job), std::string(rest.substr(0, rest.find('/')))};
    }
    return std::nullopt;
}

std::optional<StepOfProcess> step_in_environment(std::string_view environment) {
    const std::string_view job = variable(environment, kSlurmJobId);
    // An allocation's shell knows its job as well, but no node has started it.
    if (!is_number(job) || variable(environment, kNodeName).empty()) return std::nullopt;
    const std::string_view step = variable(environment, kSlurmStepId);
    return StepOfProcess{std::string(job), step.empty() ? "batch" : std::string(step)};
}

int list_pids(const std::vector<std::string>& words, Streams& streams, const std::string& proc) {
    WantedPids wanted;
    if (words.size() > 3) return streams.err << "too many arguments for keyword:listpids\n", 1;
    if (words.size() > 1 && words[1] != "*") {
        const std::string& id = words[1];
        const std::size_t dot = id.find('.');
        wanted.job = id.substr(0, dot);
        if (dot != std::string::npos) wanted.step = id.substr(dot + 1);
        if (!is_number(wanted.job)) {
            return streams.err << "scontrol: error: Invalid job id " << id
                               << ": write JOB or JOB.STEP\n",
                   1;
        }
    }
    if (words.size() > 2) wanted.node = words[2];

    std::vector<std::pair<std::int64_t, Process>> found;
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(proc, unreadable)) {
        const std::string name = entry.path().filename().string();
        if (!is_number(name)) continue;
        const auto one = process_of(entry.path());
        if (one && wanted.has(*one)) found.emplace_back(parse_int64(name).value(), *one);
    }
    if (found.empty()) return streams.err << wanted.nothing_found() << '\n', 1;
    std::ranges::sort(found, [](const auto& a, const auto& b) {
        return std::tie(a.second.of, a.first) < std::tie(b.second.of, b.first);
    });
    const auto row = [&](const auto& pid, const Process& one) {
        streams.out << std::left << std::setw(8) << pid << ' ' << std::setw(8) << one.of.job << ' '
                    << std::setw(8) << one.of.step << ' ' << std::setw(7) << one.local << ' '
                    << std::setw(8) << one.global << '\n';
    };
    row("PID", {.of = {"JOBID", "STEPID"}, .local = "LOCALID", .global = "GLOBALID", .node = {}});
    for (const auto& [pid, one] : found) row(pid, one);
    return 0;
}

int print_pid_info(Client& client, const std::vector<std::string>& words, Streams& streams,
                   const std::string& proc) {
    if (words.size() != 2) {
        return streams.err << (words.size() < 2 ? "missing argument" : "too many arguments")
                           << " for keyword:pidinfo\n",
               1;
    }
    if (!is_number(words[1]))
        return streams.err << "Invalid pid specified: " << words[1] << '\n', 1;
    const auto known = process_of(std::filesystem::path(proc) / words[1]);
    if (!known) {
        streams.err << "slurm_pid2jobid error: Invalid job id specified (process " << words[1]
                    << " is of no job on this node)\n";
        return 1;
    }
    const auto jobs = client.job(known->of.job);
    if (!jobs) {
        return streams.err << "slurm_get_end_time error: " << slurm_message(jobs.problem()) << '\n',
               1;
    }
    const std::optional<Time> end = jobs->front().ended_at;
    const std::string at = end ? formatted_time(*end, "%a %b %d %H:%M:%S %Y") : "Unknown";
    streams.out << "Slurm job id " << known->of.job << " ends at " << at << '\n';
    const auto left =
        end ? std::chrono::duration_cast<std::chrono::seconds>(*end - wall_time()) : kSlurmNoLimit;
    streams.out << "slurm_get_rem_time is " << std::max<std::int64_t>(0, left.count()) << '\n';
    return 0;
}

}  // namespace berth::slurm
