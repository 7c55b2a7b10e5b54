#include "berth/cli/sim_tables.h"

namespace berth::cli {
namespace {

void add_sim_openb(CLI::App* table, SimOpenbOptions& options, Action& action, Output& output);
void add_sim_kueue(CLI::App* table, SimKueueOptions& options, Action& action, Output& output);

}  // namespace

void add_sim_tables(CLI::App* sim, SimTables& options, Action& action, Output& output) {
    CLI::App* table = sim->add_subcommand("table", "Reproduce tables of papers");
    table->require_subcommand(1);
    CLI::App* muri = table->add_subcommand(
        "muri", "Reproduce Muri's Figures 9 and 10, by its own event loop and by our engine");
    muri->add_option("--traces", options.papers.traces, "Folder that holds muri/")->required();
    muri->add_option("--json", options.papers.json, "Write the rows to this file");
    muri->callback([&options, &action, &output] {
        action = [&options, &output] { return sim_table_muri(options.papers, output); };
    });
    add_sim_openb(table, options.openb, action, output);
    add_sim_kueue(table, options.kueue, action, output);
    CLI::App* backfill =
        table->add_subcommand("backfill", "Measure what planning is worth on generated workloads");
    backfill->add_option("--jobs", options.papers.jobs, "Jobs of each mix (10000)");
    backfill->add_option("--nodes", options.papers.nodes, "Nodes, of 8 GPUs each (100)")
        ->check(CLI::Range(16, 100'000));
    backfill->add_option("--seed", options.papers.seed, "Seed of the workloads (1)");
    backfill->callback([&options, &action, &output] {
        action = [&options, &output] { return sim_table_backfill(options.papers, output); };
    });
}

namespace {

void add_sim_openb(CLI::App* table, SimOpenbOptions& options, Action& action, Output& output) {
    CLI::App* openb = table->add_subcommand(
        "openb", "Measure how much of Alibaba's shared GPUs placement policies can use (ATC '23)");
    openb->add_option("--traces", options.traces, "Folder that holds openb/")->required();
    openb->add_option("--only", options.only, "Run this policy alone");
    openb
        ->add_option("--orders", options.orders,
                     "Orders of pods and nodes [published or ours] (published)")
        ->check(CLI::IsMember({"published", "ours"}));
    openb->add_option("--runs", options.runs, "Orders of each policy (10)")
        ->check(CLI::Range(1, 1000));
    openb->add_option("--first-seed", options.first_seed, "Seed of the first order (42)");
    openb->add_option("--threads", options.threads, "Simulations at a time (one per core)");
    openb->add_option("--json", options.json, "Write the rows to this file");
    openb->callback([&options, &action, &output] {
        action = [&options, &output] { return sim_table_openb(options, output); };
    });
}

void add_sim_kueue(CLI::App* table, SimKueueOptions& options, Action& action, Output& output) {
    CLI::App* kueue = table->add_subcommand(
        "kueue", "Run Kueue's published workloads; deciding takes the CPU time that it takes here");
    kueue
        ->add_option("--only", options.only,
                     "Run this workload alone [baseline or large-scale] (both)")
        ->check(CLI::IsMember({"baseline", "large-scale"}));
    kueue->add_option("--cohorts", options.cohorts, "Cohorts of each workload (all)")
        ->check(CLI::Range(1, 1000));
    kueue
        ->add_option("--turn-cost", options.turn_cost,
                     "Microseconds that each turn of the controller takes, instead of its CPU time")
        ->check(CLI::Range(0, 10'000'000));
    kueue->add_option("--json", options.json, "Write the figures to this file");
    kueue->callback([&options, &action, &output] {
        action = [&options, &output] { return sim_table_kueue(options, output); };
    });
}

}  // namespace

}  // namespace berth::cli
