#include "berth/cli/program_import.h"

namespace berth::cli {

void add_import(CLI::App& app, ImportOptions& options, const std::function<void()>& chosen) {
    CLI::App* import = app.add_subcommand("import", "Import what another scheduler has");
    import->require_subcommand(1);
    CLI::App* slurm = import->add_subcommand(
        "slurm", "Say what of a Slurm site will differ here, line by line, and import the rest");
    slurm
        ->add_option("--conf", options.conf,
                     "Directory with slurm.conf and the files beside it, or a slurm.conf")
        ->required();
    slurm->add_option("--sacctmgr-dump", options.dump,
                      "Accounts, users and limits [sacctmgr dump CLUSTER file=FILE]");
    slurm->add_option("--qos", options.qos, "QOS [sacctmgr -P show qos > FILE]");
    slurm->add_option("--reservations", options.reservations,
                      "Reservations [scontrol show reservation -o > FILE]");
    slurm->add_option("--usage", options.usage, "Usage of fair share [sshare -alP > FILE]");
    slurm
        ->add_option("--state", options.state,
                     "Import no jobs, the jobs that wait, or also those that run and may be "
                     "requeued, held [no, jobs or running] (no)")
        ->check(CLI::IsMember({"no", "jobs", "running"}));
    slurm->add_option("--jobs", options.jobs, "Records of jobs [scontrol show job -o > FILE]");
    slurm->add_option("--owners", options.owners, "Owners of jobs [squeue -h -o \"%A|%u\" > FILE]");
    slurm->add_option("--scripts", options.scripts,
                      "Directory with the scripts [scontrol write batch_script 7 job-7.sh] (that "
                      "of --jobs)");
    slurm->add_flag("--lenient", options.lenient, "Leave out what is refused");
    slurm->add_flag("--apply", options.apply,
                    "Import into the cluster that runs; without it, nothing is changed");
    slurm->add_option("--new-cluster", options.new_cluster,
                      "Start a cluster on this machine with this state directory, and import into "
                      "it");
    slurm->callback(chosen);
}

}  // namespace berth::cli
