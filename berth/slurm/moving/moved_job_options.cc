#include "berth/slurm/moving/moved_job_options.h"

#include <algorithm>
#include <initializer_list>

#include "berth/base/text.h"
#include "berth/slurm/options/batch_script.h"
#include "berth/slurm/options/job_options.h"
#include "berth/slurm/text/when.h"

namespace berth::slurm {
namespace {

bool is_count(std::string_view value) {
    const auto count = parse_int64(value);
    return count.ok() && *count > 0;
}

// "gres:gpu:a100:2,gres/gpu:1" -> "gpu:a100:2,gpu:1"; what is no GRES is left out.
std::string gres_of(std::string_view shown) {
    std::vector<std::string> all;
    for (const std::string_view one : split(shown, ',')) {
        if (one.starts_with("gres:") || one.starts_with("gres/")) {
            std::string gres(one.substr(5));
            std::ranges::replace(gres, '=', ':');
            all.push_back(std::move(gres));
        }
    }
    return join(all, ",");
}

// "gpu:a100:2" -> "a100:2", as --gpus takes it; empty: it is not of GPUs alone.
std::string gpus_of(std::string_view shown) {
    std::vector<std::string> all;
    const std::string gres = gres_of(shown);
    for (const std::string_view one : split(gres, ',')) {
        if (!one.starts_with("gpu:")) return {};
        all.emplace_back(one.substr(4));
    }
    return join(all, ",");
}

class RecordOptions {
public:
    RecordOptions(const ShownRecord& record, std::string_view script, Time now)
        : record_(record), now_(now) {
        for (const Directive& directive : directives_of(script))
            words_.insert(words_.end(), directive.words.begin(), directive.words.end());
    }

    GivenOptions read() {
        for (const auto& [key, option] : std::initializer_list<std::pair<const char*, const char*>>{
                 {"JobName", "job-name"},
                 {"Account", "account"},
                 {"QOS", "qos"},
                 {"Partition", "partition"},
                 {"WorkDir", "chdir"},
                 {"ReqNodeList", "nodelist"},
                 {"ExcNodeList", "exclude"},
                 {"Features", "constraint"},
                 {"Reservation", "reservation"},
                 {"Licenses", "licenses"},
                 {"Switches", "switches"},
                 {"Deadline", "deadline"},
                 {"TimeMin", "time-min"},
                 {"Comment", "comment"},
                 {"Prefer", "prefer"},
                 {"SegmentSize", "segment"},
                 {"WCKey", "wckey"},
                 {"MailUser", "mail-user"},
                 {"ArrayTaskId", "array"}}) {
            if (const std::string value = record_.value(key); !value.empty()) give(option, value);
        }
        add_times();
        add_size();
        add_memory();
        add_gres();
        add_files();
        add_flags();
        return std::move(given_);
    }

private:
    void give(const std::string& option, const std::string& value = {}) {
        given_.emplace_back(option, value);
    }

    // One of these stands in the script: "--gres" is "--gres=gpu:2" as well, "-G" is "-G4".
    bool script_has(std::initializer_list<std::string_view> options) const {
        return std::ranges::any_of(words_, [&](const std::string& word) {
            return std::ranges::any_of(
                options, [&](std::string_view option) { return word.starts_with(option); });
        });
    }

    void add_times() {
        const std::string limit = record_.value("TimeLimit");
        if (!limit.empty() && limit != "Partition_Limit") give("time", limit);
        const std::string begin = record_.value("EligibleTime");
        if (record_.value("Reason") != "BeginTime") return;
        const auto at = parse_when(begin, now_);
        if (at.ok() && *at > now_) give("begin", begin);
    }

    void add_size() {
        // "2-4", "2-2": as given. A number alone is what Slurm worked out.
        const std::string nodes = record_.value("NumNodes");
        if (nodes.find('-') != std::string::npos) give("nodes", nodes);
        if (const std::string tasks = record_.value("NumTasks"); is_count(tasks))
            give("ntasks", tasks);
        const std::string cpus = record_.value("CPUs/Task");
        if (is_count(cpus) && cpus != "1" && record_.value("CpusPerTres").empty())
            give("cpus-per-task", cpus);
        const std::string shape = record_.value("NtasksPerN:B:S:C");
        const auto per = split(shape, ':');  // Of a node, a board, a socket, a core.
        if (is_count(std::string(per[0]))) give("ntasks-per-node", std::string(per[0]));
        if (per.size() != 4) return;
        if (is_count(std::string(per[2]))) give("ntasks-per-socket", std::string(per[2]));
        if (is_count(std::string(per[3]))) give("ntasks-per-core", std::string(per[3]));
    }

    void add_memory() {
        if (!record_.value("MemPerTres").empty()) return;  // With the GPUs.
        const std::pair<const char*, const char*> kinds[] = {
            {"MinMemoryNode", "mem"}, {"MinMemoryCPU", "mem-per-cpu"}, {"MinTmpDiskNode", "tmp"}};
        for (const auto& [key, option] : kinds) {
            const std::string value = record_.value(key);
            if (!value.empty() && value != "0") give(option, value);
        }
    }

    // GPUs can be asked for in several ways that exclude each other, so the script's way stays.
    void add_gres() {
        if (!script_has({"--gres", "--gpus", "-G"})) {
            if (const std::string gres = gres_of(record_.value("TresPerNode")); !gres.empty())
                give("gres", gres);
            if (const std::string gpus = gpus_of(record_.value("TresPerJob")); !gpus.empty())
                give("gpus", gpus);
            if (const std::string gpus = gpus_of(record_.value("TresPerTask")); !gpus.empty())
                give("gpus-per-task", gpus);
            const std::string near = gpus_of(record_.value("TresPerSocket"));
            if (!near.empty()) give("gpus-per-socket", near);
            if (!near.empty()) give("sockets-per-node", record_.value("Socks/Node"));
        }
        const std::string cpus = gpus_of(record_.value("CpusPerTres"));
        if (is_count(cpus) && !script_has({"--cpus-per-gpu"})) give("cpus-per-gpu", cpus);
        const std::string memory = gpus_of(record_.value("MemPerTres"));
        if (!memory.empty() && !script_has({"--mem-per-gpu"})) give("mem-per-gpu", memory);
    }

    // Slurm has put the old job's number into these names, so the script's patterns are better.
    void add_files() {
        const std::string out = record_.value("StdOut"), error = record_.value("StdErr");
        const std::string usual = record_.value("WorkDir") + "/slurm-";
        if (!out.empty() && !out.starts_with(usual) && !script_has({"--output", "-o"}))
            give("output", out);
        if (!error.empty() && error != out && !script_has({"--error", "-e"})) give("error", error);
        const std::string in = record_.value("StdIn");
        if (!in.empty() && in != "/dev/null" && !script_has({"--input", "-i"})) give("input", in);
    }

    void add_flags() {
        if (record_.value("Requeue") == "0") give("no-requeue");
        if (record_.value("Requeue") == "1") give("requeue");
        if (record_.value("Contiguous") == "1") give("contiguous");
        if (record_.value("SpreadJob") == "Yes") give("spread-job");
        if (record_.value("KillOInInvalidDependent") == "Yes") give("kill-on-invalid-dep", "yes");
        if (record_.value("OverSubscribe") == "NO") give("exclusive");
        if (record_.value("OverSubscribe") == "YES") give("oversubscribe");
        if (record_.value("OverSubscribe") == "USER") give("exclusive", "user");
        const std::string nice = record_.value("Nice");
        if (is_count(nice)) give("nice", nice);
        const std::string mail = record_.value("MailType");
        if (!mail.empty() && mail != "NONE") give("mail-type", mail);
        if (record_.value("Reason").starts_with("JobHeld")) give("hold");
    }

    const ShownRecord& record_;
    Time now_;
    std::vector<std::string> words_;  // Of the #SBATCH lines.
    GivenOptions given_;
};

}  // namespace

GivenOptions options_of_record(const ShownRecord& record, std::string_view script, Time now) {
    return RecordOptions(record, script, now).read();
}

Status check_options(const GivenOptions& given) {
    JobDraft draft;
    for (const auto& [name, value] : given) {
        const auto rows = job_options();
        const auto row = std::ranges::find_if(rows, [&](const JobOption& one) {
            return (one.commands & kSbatch) != 0 && name == one.name;
        });
        BERTH_ASSERT(row != rows.end());
        const bool is_flag = value.empty();
        if (const Status set = apply_option(*row, draft, is_flag ? nullptr : value.c_str());
            !set.ok()) {
            return prefixed("--" + name + (is_flag ? "" : "=" + value) + ": ", set.error());
        }
    }
    return Done{};
}

}  // namespace berth::slurm
