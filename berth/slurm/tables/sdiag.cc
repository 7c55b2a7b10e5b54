// sdiag: what the controller has done, and how long it took.
#include <getopt.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <ostream>

#include "berth/client/client.h"
#include "berth/slurm/json/json_rows.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/clusters.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/tables/table_commands.h"
#include "berth/slurm/text/columns.h"
#include "berth/slurmrest/call_names.h"

namespace berth::slurm {
namespace {

enum class SortBy : unsigned char { count, id, total_time, mean_time };

constexpr auto kSdiagOptions = std::to_array<option>({
    {"all", no_argument, nullptr, 'a'},
    {"help", no_argument, nullptr, 'h'},
    {"usage", no_argument, nullptr, 'U'},
    {"verbose", no_argument, nullptr, 'v'},
    {"reset", no_argument, nullptr, 'r'},
    {"sort-by-id", no_argument, nullptr, 'i'},
    {"sort-by-time", no_argument, nullptr, 't'},
    {"sort-by-time2", no_argument, nullptr, 'T'},
    {"cluster", required_argument, nullptr, 'M'},
    {"json", optional_argument, nullptr, 'J'},
    {"yaml", optional_argument, nullptr, 'Y'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
});
constexpr const char* kSdiagLetters = "ahirtTM:V";

constexpr const char* kSdiagUsage = "Usage: sdiag [-airtT]\n";

using Call = slurmrest::RpcFigures;

std::int64_t mean_time(const Call& call) {
    return call.total / std::max<std::int64_t>(call.count, 1);
}

void sort(std::vector<Call>& calls, SortBy by) {
    std::ranges::stable_sort(calls, [&](const Call& a, const Call& b) {
        switch (by) {
            case SortBy::count: return a.count > b.count;
            case SortBy::id: return a.id < b.id;
            case SortBy::total_time: return a.total > b.total;
            case SortBy::mean_time: return mean_time(a) > mean_time(b);
        }
        return false;
    });
}

std::int64_t epoch_of(Time at) {
    return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}

// "Fri Nov 20 23:43:32 2026 (1795218212)"
std::string moment(Time at) {
    const std::time_t epoch = epoch_of(at);
    std::tm parts{};
    localtime_r(&epoch, &parts);
    std::array<char, 40> text{};
    std::strftime(text.data(), text.size(), "%a %b %d %H:%M:%S %Y", &parts);
    return std::string(text.data()) + " (" + std::to_string(epoch) + ")";
}

using Lines = std::initializer_list<std::pair<std::string_view, std::int64_t>>;
void print(std::ostream& out, Lines lines) {
    for (const auto& [label, number] : lines) out << label << number << '\n';
}

// Why cycles ended. Slurm gives these numbers two places.
void print_ends(std::ostream& out, Lines lines) {
    for (const auto& [label, number] : lines) {
        out << '\t' << label << ':' << (number < 10 ? " " : "") << number << '\n';
    }
}

void print_top(const api::DiagnosticsRow& row, std::ostream& out) {
    const std::string line(55, '*');
    out << line << '\n'
        << "sdiag output at " << moment(row.now) << '\n'
        << "Data since      " << moment(row.since) << '\n'
        << line << '\n';
    // Orders to agents and accounting wait in no queue: these are always 0.
    print(out, {{"Server thread count:  ", row.server_threads},
                {"Agent queue size:     ", 0},
                {"Agent count:          ", 0},
                {"Agent thread count:   ", 0},
                {"DBD Agent queue size: ", 0}});
    out << '\n';
    print(out, {{"Jobs submitted: ", row.jobs_submitted},
                {"Jobs started:   ", row.jobs_started},
                {"Jobs completed: ", row.jobs_completed},
                {"Jobs canceled:  ", row.jobs_canceled},
                {"Jobs failed:    ", row.jobs_failed}});
    out << "\nJob states ts:  " << moment(row.now) << '\n';
    print(out, {{"Jobs pending:   ", row.jobs_pending}, {"Jobs running:   ", row.jobs_running}});
}

void print_cycles(const api::DiagnosticsRow& row, std::ostream& out) {
    const api::CycleFigures& all = row.cycles;
    out << "\nMain schedule statistics (microseconds):\n";
    print(out, {{"\tLast cycle:   ", all.last},
                {"\tMax cycle:    ", all.most},
                {"\tTotal cycles: ", all.cycles}});
    if (all.cycles > 0) {
        print(out, {{"\tMean cycle:   ", all.total / all.cycles},
                    {"\tMean depth cycle:  ", all.total_depth / all.cycles}});
    }
    const std::int64_t minutes = (epoch_of(row.now) - epoch_of(row.since)) / 60;
    if (minutes > 0) print(out, {{"\tCycles per minute: ", all.cycles / minutes}});
    print(out, {{"\tLast queue length: ", all.last_queue}});
    out << "\nMain scheduler exit:\n";
    print_ends(out, {{"End of job queue", row.ended_with_queue},
                     {"Hit default_queue_depth", 0},
                     {"Hit sched_max_job_start", row.ended_with_most_starts},
                     {"Blocked on licenses", 0},
                     {"Hit max_rpc_cnt", 0},
                     {"Timeout (max_sched_time)", row.ended_out_of_budget}});
}

void print_backfill(const api::DiagnosticsRow& row, std::ostream& out) {
    const api::CycleFigures& rounds = row.rounds;
    const std::int64_t cycles = rounds.cycles;
    out << "\nBackfilling stats\n";
    print(out, {{"\tTotal backfilled jobs (since last slurm start): ", row.backfilled_since_start},
                {"\tTotal backfilled jobs (since last stats cycle start): ", row.backfilled},
                {"\tTotal backfilled heterogeneous job components: ", 0},
                {"\tTotal cycles: ", cycles}});
    out << "\tLast cycle when: " << (rounds.last_at ? moment(*rounds.last_at) : "N/A") << '\n';
    print(out, {{"\tLast cycle: ", rounds.last}, {"\tMax cycle:  ", rounds.most}});
    if (cycles > 0) print(out, {{"\tMean cycle: ", rounds.total / cycles}});
    print(out, {{"\tLast depth cycle: ", rounds.last_depth},
                {"\tLast depth cycle (try sched): ", rounds.last_tries}});
    if (cycles > 0) {
        print(out, {{"\tDepth Mean: ", rounds.total_depth / cycles},
                    {"\tDepth Mean (try depth): ", rounds.total_tries / cycles}});
    }
    print(out, {{"\tLast queue length: ", rounds.last_queue}});
    if (cycles > 0) print(out, {{"\tQueue length mean: ", rounds.total_queue / cycles}});
    print(out, {{"\tLast table size: ", rounds.last_planned}});
    if (cycles > 0) print(out, {{"\tMean table size: ", rounds.total_planned / cycles}});
    out << "\nBackfill exit\n";
    print_ends(out, {{"End of job queue", row.ended_with_queue},
                     {"Hit bf_max_job_start", row.ended_with_most_starts},
                     {"Hit bf_max_job_test", 0},
                     {"System state changed", 0},
                     {"Hit table size limit (bf_node_space_size)", 0},
                     {"Timeout (bf_max_time)", row.ended_out_of_budget}});
}

void print_calls(const std::vector<Call>& calls, std::size_t name_width, std::size_t id_width,
                 std::ostream& out) {
    if (calls.empty()) out << "\tNo RPCs recorded yet.\n";
    for (const Call& one : calls) {
        out << '\t' << cell(one.name, name_width, false, false) << '('
            << cell(std::to_string(one.id), id_width, true, false)
            << ") count:" << cell(std::to_string(one.count), 6, false, false)
            << " ave_time:" << cell(std::to_string(mean_time(one)), 6, false, false)
            << " total_time:" << one.total << '\n';
    }
}

std::vector<Call> calls_of(const api::DiagnosticsRow& row, SortBy by) {
    std::vector<Call> calls = slurmrest::rpcs_of_calls(row.calls);
    sort(calls, by);
    return calls;
}

std::vector<Call> users_of(const api::DiagnosticsRow& row, SortBy by) {
    std::vector<Call> users = slurmrest::rpcs_of_users(row.users);
    sort(users, by);
    return users;
}

int print_sdiag_json(const Invocation& call, Client& client, const api::DiagnosticsRow& row,
                     SortBy by, Notation notation, Streams& streams) {
    SlurmJson json(streams.out, notation);
    json.begin();
    put_diagnostics(json, {.row = row, .calls = calls_of(row, by), .users = users_of(row, by)});
    const auto ping = client.ping();
    json.finish(call, ping ? ping->cluster : "");
    return 0;
}

void print_calls(const api::DiagnosticsRow& row, SortBy by, std::ostream& out) {
    out << "\nLatency for 1000 calls to gettimeofday(): " << row.clock_latency
        << " microseconds\n\nRemote Procedure Call statistics by message type\n";
    print_calls(calls_of(row, by), 40, 5, out);
    out << "\nRemote Procedure Call statistics by user\n";
    print_calls(users_of(row, by), 16, 8, out);
    out << "\nPending RPC statistics\n\tNo pending RPCs\n";
}

}  // namespace

int run_sdiag(const Invocation& call, Streams& streams) {
    SortBy by = SortBy::count;
    bool reset = false;
    std::string clusters;
    std::optional<Notation> notation;
    const auto fail = [&](const std::string& message) {
        streams.err << "sdiag: error: " << message << '\n';
        return 1;
    };
    for (const SetVariable& set : set_variables(call, kSdiagOptions)) clusters = set.value;
    ArgumentReader reader(call, kSdiagOptions, kSdiagLetters);
    while (const auto argument = reader.next(streams)) {
        switch (argument->letter) {
            case 'V': return streams.out << kVersion << '\n', 0;
            case 'h':
            case 'U':
                return streams.out << kSdiagUsage
                                   << command_help(call, kSdiagOptions, kSdiagLetters),
                       0;
            case 'a': break;
            case 'M': clusters = argument->value; break;
            case 'r': reset = true; break;
            case 'i': by = SortBy::id; break;
            case 't': by = SortBy::total_time; break;
            case 'T': by = SortBy::mean_time; break;
            case 'J':
            case 'Y':
                notation = argument->letter == 'J' ? Notation::json : Notation::yaml;
                if (const Status shape = check_shape(argument->value); !shape.ok())
                    return fail(shape.error().message);
                break;
            default: return fail(not_supported(kSdiagOptions, argument->letter).error().message);
        }
    }
    if (reader.failed()) return streams.err << "Try \"sdiag --help\" for more information\n", 1;
    if (!reader.operands().empty()) return fail("Unrecognized option: " + reader.operands()[0]);
    Client client(endpoint_of(call));
    if (const auto other = other_cluster(client, clusters, "sdiag")) return fail(*other);
    if (reset) {
        const auto done = client.reset_diagnostics();
        if (!done) {
            streams.err << "slurm_perror: " << slurm_message(done.problem()) << '\n';
            return 1;
        }
        return streams.out << "Reset scheduling statistics\n", 0;
    }
    const auto row = client.diagnostics();
    if (!row) {
        streams.err << "slurm_get_statistics: " << slurm_message(row.problem()) << '\n';
        return 1;
    }
    if (notation) return print_sdiag_json(call, client, *row, by, *notation, streams);
    print_top(*row, streams.out);
    print_cycles(*row, streams.out);
    print_backfill(*row, streams.out);
    print_calls(*row, by, streams.out);
    return 0;
}

}  // namespace berth::slurm
