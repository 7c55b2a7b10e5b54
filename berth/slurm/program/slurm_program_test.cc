// The commands as far as they go without a controller.
#include "berth/slurm/program/slurm_program.h"

#include <gtest/gtest.h>

#include <sstream>

#include "berth/slurm/admin/admin_commands.h"
#include "berth/slurm/jobs/job_commands.h"
#include "berth/slurm/tables/table_commands.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

struct Ran {
    int code = 0;
    std::string out, err;
};

Ran run(Command command, const char* name, std::vector<std::string> arguments,
        const std::string& input = "", std::map<std::string, std::string> environment = {}) {
    environment.emplace("BERTH_SOCKET", "/nonexistent/berthd.sock");
    environment.emplace("BERTH_ADVICE", "no");  // Also where the tests run at a terminal.
    std::istringstream in(input);
    std::ostringstream out, err;
    Streams streams{in, out, err};
    const int code = command(
        {.name = name, .arguments = std::move(arguments), .environment = std::move(environment)},
        streams);
    return {code, out.str(), err.str()};
}

TEST(Help, SaysOfEveryOptionWhatItDoes) {
    const std::pair<const char*, Command> commands[] = {
        {"squeue", run_squeue},     {"sinfo", run_sinfo},       {"sacct", run_sacct},
        {"scancel", run_scancel},   {"scontrol", run_scontrol}, {"sprio", run_sprio},
        {"sacctmgr", run_sacctmgr}, {"sshare", run_sshare},     {"sstat", run_sstat},
        {"sdiag", run_sdiag},       {"sattach", run_sattach},   {"sbcast", run_sbcast},
        {"seff", run_seff},         {"sreport", run_sreport},
    };
    for (const auto& [name, command] : commands) {
        const Ran ran = run(command, name, {"--help"});
        EXPECT_EQ(ran.code, 0) << name;
        EXPECT_NE(ran.out.find("\nHelp options:\n"), std::string::npos) << name;
        std::istringstream lines(ran.out);
        std::string before;
        for (std::string line; std::getline(lines, line); before = line) {
            const bool is_option = before.starts_with("  -") || before.starts_with("      --");
            const bool goes_on = line.starts_with(std::string(30, ' '));
            EXPECT_TRUE(!is_option || before.size() > 30 || goes_on) << name << ": " << before;
        }
    }
    EXPECT_NE(run(run_squeue, "squeue", {"--help"})
                  .out.find("  -j, --jobs[=IDS]            these jobs and tasks"),
              std::string::npos);
}

TEST(Sbatch, RefusesByNameWhatIsNotBuilt) {
    const Ran ran = run(run_sbatch, "sbatch", {"--container=a", "x.sh"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.err,
              "sbatch: error: --container is not supported: start the container in the script, "
              "with apptainer or enroot for example\n");
}

TEST(Sbatch, RefusesMalformedValuesInSlurmsWords) {
    struct Case {
        std::vector<std::string> arguments;
        int code;
        const char* says;
    };
    const Case cases[] = {
        {{"-t", "abc", "--wrap=true"}, 255, "sbatch: error: Invalid --time specification\n"},
        {{"-n", "abc", "--wrap=true"},
         1,
         "sbatch: error: Invalid numeric value \"abc\" for --ntasks.\n"},
        {{"--mem=lots", "--wrap=true"}, 255, "sbatch: error: Invalid --mem specification\n"},
        {{"--begin=later", "--wrap=true"}, 255, "sbatch: error: Invalid --begin specification\n"},
        {{"--gres=gpu:a100:x", "--wrap=true"},
         1,
         "sbatch: error: Invalid generic resource (gres) specification\n"},
        {{"-a", "5-1", "--wrap=true"},
         1,
         "sbatch: error: Batch job submission failed: Invalid job array specification\n"},
        {{"-d", "afterok:x", "--wrap=true"},
         1,
         "sbatch: error: Batch job submission failed: Job dependency problem\n"},
        {{"--nice=-9223372036854775808", "--wrap=true"},
         255,
         "sbatch: error: Invalid --nice value: -9223372036854775808\n"},
        {{"--nonsense", "x.sh"},
         255,
         "sbatch: unrecognized option '--nonsense'\nTry \"sbatch --help\" for more information\n"},
        {{"-%", "x.sh"},
         255,
         "sbatch: invalid option -- '%'\nTry \"sbatch --help\" for more information\n"},
        {{"--time"},
         255,
         "sbatch: option '--time' requires an argument\nTry \"sbatch --help\" for more "
         "information\n"},
        {{"/nonexistent/x.sh"}, 1, "sbatch: error: Unable to open file /nonexistent/x.sh\n"},
        {{"--mem=1G", "--mem-per-cpu=1G", "--wrap=true"},
         1,
         "sbatch: error: --mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.\n"},
        {{"--wrap=true", "x.sh"},
         1,
         "sbatch: error: Script arguments not permitted with --wrap option\n"},
    };
    for (const Case& c : cases) {
        const Ran ran = run(run_sbatch, "sbatch", c.arguments);
        EXPECT_EQ(ran.err, c.says);
        EXPECT_EQ(ran.code, c.code) << c.says;
    }
}

TEST(Sbatch, NamesTheLineOfAWrongDirective) {
    const Ran ran = run(run_sbatch, "sbatch", {}, "#!/bin/sh\n#SBATCH -t abc\ntrue\n");
    EXPECT_EQ(ran.err,
              "sbatch: error: Invalid --time specification\nsbatch: error: in #SBATCH line 2 of "
              "the script\n");
}

TEST(Sbatch, SaysItsVersionAsSlurmDoes) {
    const std::pair<Command, const char*> commands[] = {
        {run_sbatch, "sbatch"}, {run_squeue, "squeue"},    {run_sinfo, "sinfo"},
        {run_sacct, "sacct"},   {run_scancel, "scancel"},  {run_scontrol, "scontrol"},
        {run_srun, "srun"},     {run_sacctmgr, "sacctmgr"}};
    for (const auto& [command, name] : commands) {
        EXPECT_EQ(run(command, name, {"-V"}).out, "slurm 25.11.0\n");
    }
}

TEST(Commands, AdviseBelowSlurmsWords) {
    const auto advised = [](Command command, const char* name, std::vector<std::string> words) {
        return run(command, name, std::move(words), "", {{"BERTH_ADVICE", "yes"}}).err;
    };
    EXPECT_EQ(advised(run_squeue, "squeue", {"-j", "abc"}),
              "squeue: error: Invalid job id: abc\n"
              "squeue: --jobs takes job ids, such as 12, 12_3 (a task of an array) or 12,13\n");
    EXPECT_EQ(advised(run_sacct, "sacct", {"-o", "JobIDD"}),
              "sacct: error: Invalid field requested: \"JobIDD\"\nsacct: did you mean JobID?\n");
    EXPECT_EQ(advised(run_sacct, "sacct", {"-o", "JobID,Colour"}),
              "sacct: error: Invalid field requested: \"Colour\"\n"
              "sacct: sacct --helpformat lists the fields\n");
    EXPECT_EQ(advised(run_sstat, "sstat", {"-j", "1", "-o", "maxrsss"}),
              "sstat: error: Invalid field requested: \"maxrsss\"\nsstat: did you mean MaxRSS?\n");
    EXPECT_EQ(advised(run_sacct, "sacct", {"-j", "abc"}),
              "sacct: fatal: Bad job/step specified: abc\n"
              "sacct: --jobs takes job ids, such as 12, 12_3 (a task of an array) or 12,13\n");
    EXPECT_EQ(advised(run_scancel, "scancel", {"abc"}),
              "scancel: error: Invalid job id abc\nscancel: a job is 12, a task of an array 12_3, "
              "several of them 12_[1-3,7], a step 12.0\n");
    EXPECT_EQ(advised(run_scancel, "scancel", {}),
              "scancel: error: No job identification provided\n"
              "scancel: give job ids, such as 12 or 12_3, or a filter, such as --user\n");
    EXPECT_EQ(advised(run_srun, "srun", {}),
              "srun: error: No command given to execute.\n"
              "srun: give a program and its arguments, such as srun -n2 hostname\n");
    EXPECT_EQ(advised(run_sbatch, "sbatch", {"/nonexistent/x.sh"}),
              "sbatch: error: Unable to open file /nonexistent/x.sh\n"
              "sbatch: give the path of a script, or a command with --wrap\n");
}

// Advice is on in a script's lines as on the command line.
TEST(Sbatch, AdvisesOnTheOptionsOfAScript) {
    const auto advised = [](const std::string& script) {
        return run(run_sbatch, "sbatch", {}, script, {{"BERTH_ADVICE", "yes"}}).err;
    };
    EXPECT_EQ(advised("#!/bin/bash\n#SBATCH --time\n"),
              "sbatch: option '--time' requires an argument\n"
              "sbatch: --time takes minutes, hours:minutes:seconds or days-hours, such as 30, "
              "1:30:00 or 2-12\nTry \"sbatch --help\" for more information\n"
              "sbatch: error: in #SBATCH line 2 of the script\n");
    EXPECT_EQ(advised("#!/bin/bash\n#SBATCH --tme=5\n"),
              "sbatch: unrecognized option '--tme=5'\nsbatch: did you mean --time?\n"
              "Try \"sbatch --help\" for more information\n"
              "sbatch: error: in #SBATCH line 2 of the script\n");
}

TEST(Commands, RefuseWhatTheyCannotDo) {
    EXPECT_EQ(run(run_squeue, "squeue", {"-t", "HAPPY"}).err,
              "squeue: error: Invalid job state specified: HAPPY\n"
              "squeue: error: Valid job states include: " +
                  state_names() + "\n");
    EXPECT_EQ(run(run_sacctmgr, "sacctmgr", {"--oneliner", "show", "user"}).err,
              "sacctmgr: error: --oneliner is not supported: use --parsable2\n");
    EXPECT_EQ(run(run_sacctmgr, "sacctmgr", {"--json", "add", "account", "bio"}).err,
              "sacctmgr: error: --json and --yaml are for show\n");
    EXPECT_EQ(run(run_sacct, "sacct", {"-o", "JobID,Colour"}).err,
              "sacct: error: Invalid field requested: \"Colour\"\n");
    EXPECT_EQ(run(run_scancel, "scancel", {}).err,
              "scancel: error: No job identification provided\n");
    EXPECT_EQ(run(run_scancel, "scancel", {"abc"}).err, "scancel: error: Invalid job id abc\n");
    EXPECT_EQ(run(run_scontrol, "scontrol", {"dance"}).err, "invalid keyword: dance\n");
    EXPECT_EQ(run(run_scontrol, "scontrol", {"create", "x=y"}).err,
              "scontrol: error: Invalid creation entity: x=y; give PartitionName=, NodeName= or "
              "reservation\n");
    EXPECT_EQ(run(run_srun, "srun", {"hostname"}).code, 1);
    EXPECT_EQ(run(run_scontrol, "scontrol", {"show", "hostnames", "gpu[08-10]"}).out,
              "gpu08\ngpu09\ngpu10\n");
    EXPECT_EQ(run(run_scontrol, "scontrol", {"show", "hostlistsorted", "gpu3,gpu1,gpu2"}).out,
              "gpu[1-3]\n");
}

// The states that are known come first: only the last word is wrong.
TEST(Commands, TakeEveryStateOfSlurms) {
    EXPECT_EQ(run(run_squeue, "squeue", {"-t", "RS,RQ,rv,STOPPED,se,Signaling,RD,RF,RH,SO,x"})
                  .err.find("squeue: error: Invalid job state specified: x\n"),
              0U);
    EXPECT_EQ(
        run(run_sinfo, "sinfo",
            {"-t", "reboot,reboot^,future,powered_down,CLOUD,idle&drain,down+drain,npc,idle+x"})
            .err.find("sinfo: error: Bad state string: \"idle+x\"\n"),
        0U);
    EXPECT_EQ(run(run_sacct, "sacct", {"-s", "SE"}).err,
              "sacct: fatal: job state SE is not supported / accounted\n");
}

TEST(Sreport, RefusesWordsThatAreNoReport) {
    const std::pair<std::vector<std::string>, const char*> cases[] = {
        {{"dance"}, "invalid keyword: dance\n"},
        {{"cluster"}, "too few arguments for keyword:cluster\n"},
        {{"parsable"}, "sreport: error: parsable is a command of the prompt; use -p\n"},
        {{"user", "bottom"}, "Not valid report bottom\nValid user reports are, \"Top\"\n"},
        {{"-t", "years", "user", "top"}, "unknown time format years\n"},
        {{"cluster", "util", "colour=red"},
         " Unknown condition: colour=red\nUse keyword set to modify value\n"},
        {{"job", "sizes", "grouping=50,20"},
         "sreport: error: Grouping=50,20 should be sizes that rise, like 50,250,500, or "
         "individual\n"},
    };
    for (const auto& [words, says] : cases) {
        const Ran ran = run(run_sreport, "sreport", words);
        EXPECT_EQ(ran.err, says);
        EXPECT_EQ(ran.code, 1) << says;
        EXPECT_EQ(ran.out, "") << says;
    }
    EXPECT_EQ(run(run_sreport, "sreport", {"version"}).out, "slurm 25.11.0\n");
    EXPECT_EQ(run(run_sreport, "sreport", {"help"}).code, 0);
}

TEST(Commands, SpeakOneShapeOfJson) {
    EXPECT_EQ(run(run_squeue, "squeue", {"--json=v0.0.39"}).err,
              "squeue: error: data_parser v0.0.39 is not supported yet; there are v0.0.44, "
              "which is the default, and v0.0.43\n");
}

}  // namespace
}  // namespace berth::slurm
