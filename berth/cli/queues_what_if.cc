// berth queues what-if: a trial of other quotas on a copy of the controller's state.
#include "berth/engine/explain/what_if.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "berth/base/text.h"
#include "berth/cli/cluster_dir.h"
#include "berth/cli/subcommands.h"
#include "berth/engine/admission/accounting_admission.h"
#include "berth/engine/state/job_queries.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/queue_options.h"
#include "berth/slurm/text/print.h"
#include "berth/store/replay.h"
#include "berth/trust/wall_time.h"

namespace berth::cli {
namespace {

using Json = nlohmann::ordered_json;

// The queue as it is in the configuration; for an account that is none yet, an empty one.
Result<QueueSpec> queue_of(const ClusterSpec& spec, const std::string& name) {
    for (const QueueSpec& queue : spec.queues)
        if (iequals(queue.name, name)) return queue;
    for (const AccountSpec& account : spec.accounts)
        if (iequals(account.name, name)) return QueueSpec{.name = account.name};
    return invalid_argument("there is no account " + name + ", and a queue is an account");
}

// "vision nominal=gres/gpu=4 speech nominal=gres/gpu=12"
Result<AccountingEdits> edits_of(const ClusterSpec& spec, const WhatIfOptions& options) {
    AccountingEdits edits;
    edits.removed_queues = options.removed;
    for (auto word = options.words.begin(); word != options.words.end();) {
        if (word->find('=') != std::string::npos)
            return invalid_argument(*word + " should follow the name of a queue");
        BERTH_TRY(QueueSpec queue, queue_of(spec, *word));
        const auto end = std::find_if(word + 1, options.words.end(), [](const std::string& next) {
            return next.find('=') == std::string::npos;
        });
        if (end == word + 1) {
            return invalid_argument("say what would change of queue " + *word +
                                    ", like nominal=gres/gpu=8, or --remove " + *word);
        }
        BERTH_CHECK(set_queue_options(queue, {word + 1, end}));
        if (options_of(queue).empty()) {
            return invalid_argument("nothing would be set of queue " + queue.name +
                                    "; say --remove " + queue.name);
        }
        edits.queues.push_back(std::move(queue));
        word = end;
    }
    if (edits.empty()) {
        return invalid_argument(
            "say what would change: berth queues what-if vision nominal=gres/gpu=8");
    }
    return edits;
}

std::string text_of(const WhatIf::Prospect& prospect) {
    const std::string planned = slurm::local_time(prospect.planned, "");
    if (prospect.starts_now == 0) {
        return prospect.planned ? planned : "no start: " + std::string(slurm_name(prospect.reason));
    }
    const std::string now = prospect.starts_now == 1
                                ? "at once"
                                : std::to_string(prospect.starts_now) + " tasks at once";
    return prospect.planned ? now + ", then " + planned : now;
}

void print(const ClusterState& state, const WhatIf& found, Output& output) {
    output.out() << found.waiting << (found.waiting == 1 ? " job waits, " : " jobs wait, ")
                 << found.changes.size() << " would fare otherwise\n";
    std::vector<std::vector<Output::Cell>> lines = {
        {{"JOB"}, {"USER"}, {"QUEUE"}, {"NOW"}, {"THEN"}}};
    for (const WhatIf::Change& change : found.changes) {
        const Job& job = *state.find_job(change.job);
        lines.push_back({{name_of_job(state, job.id)},
                         {job.owner->user},
                         {std::string(job.spec.account)},
                         {text_of(change.before)},
                         {text_of(change.after)}});
    }
    if (lines.size() > 1) output.table(lines);
    lines = {{{"PREEMPTED"}, {"USER"}, {"QUEUE"}, {"FOR"}}};
    for (const WhatIf::Preemption& one : found.preemptions) {
        const Job& victim = *state.find_job(one.victim);
        lines.push_back({{name_of_job(state, victim.id)},
                         {victim.owner->user},
                         {std::string(victim.spec.account)},
                         {name_of_job(state, one.preemptor)}});
    }
    if (lines.size() > 1) output.table(lines);
}

Json json_of(const WhatIf::Prospect& prospect) {
    Json json = {{"starts_now", prospect.starts_now}};
    if (prospect.planned) json["planned_start"] = seconds(*prospect.planned);
    if (prospect.starts_now == 0 && !prospect.planned) json["reason"] = slurm_name(prospect.reason);
    return json;
}

void print_json(const ClusterState& state, const WhatIf& found, Output& output) {
    Json answer = {{"waiting", found.waiting}, {"changes", Json::array()}};
    for (const WhatIf::Change& change : found.changes) {
        const Job& job = *state.find_job(change.job);
        answer["changes"].push_back({{"job", name_of_job(state, job.id)},
                                     {"user", job.owner->user},
                                     {"queue", std::string(job.spec.account)},
                                     {"now", json_of(change.before)},
                                     {"then", json_of(change.after)}});
    }
    answer["preempted"] = Json::array();
    for (const WhatIf::Preemption& one : found.preemptions) {
        const Job& victim = *state.find_job(one.victim);
        answer["preempted"].push_back({{"job", name_of_job(state, victim.id)},
                                       {"user", victim.owner->user},
                                       {"queue", std::string(victim.spec.account)},
                                       {"for", name_of_job(state, one.preemptor)}});
    }
    output.out() << answer.dump(2) << '\n';
}

}  // namespace

int queues_what_if(const WhatIfOptions& options, Output& output) {
    const auto directory = ClusterDir::database_directory(ClusterDir::find(options.state).path());
    const auto replayed = berth::replay(directory.string());
    if (!replayed.ok()) return output.fail(replayed.error().message);
    const ClusterState& state = replayed->state;
    auto edits = edits_of(state.spec(), options);
    if (!edits.ok()) return output.fail(edits.error().message);
    auto admitted = admit_edits(state, *std::move(edits));
    if (const auto* no = std::get_if<Refusing>(&admitted)) return output.fail(no->message);
    const WhatIf found = what_if(state, std::get<AccountingEdits>(admitted), wall_time());
    if (options.json) {
        print_json(state, found, output);
    } else {
        print(state, found, output);
    }
    return 0;
}

}  // namespace berth::cli
