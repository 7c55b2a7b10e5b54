#include "berth/server/submit/job_submit.h"

#include <array>
#include <set>

#include "berth/base/text.h"
#include "berth/control/requests/authorize.h"
#include "berth/server/submit/job_change_desc.h"
#include "berth/server/submit/job_desc.h"
#include "berth/server/submit/job_rec.h"
#include "berth/server/submit/part_list.h"
#include "berth/server/submit/script_fields.h"
#include "berth/server/submit/slurm_numbers.h"
#include "berth/server/views/job_filter.h"

namespace berth {
namespace {

constexpr std::array kScriptFunctions = {"slurm_job_submit", "slurm_job_modify"};
constexpr std::int64_t kUnspecified = -1, kTimeLimitMissing = 8000;

Result<LuaScript> load_submit_script(std::string_view text, ScriptOutside& outside,
                                     LuaLimits limits) {
    return LuaScript::load({kSubmitScriptName, text, kScriptFunctions, slurm_constants()}, outside,
                           limits);
}

// What a script's function returned, as a number; nullopt: none, which Slurm takes for success.
std::optional<std::int64_t> returned_number(const ScriptValue& value) {
    if (std::holds_alternative<bool>(value)) return std::nullopt;
    const Result<std::int64_t> number = given_number(value);
    return number.ok() ? std::optional(*number) : std::nullopt;
}

// All that take submissions and that the user may ask for.
std::string all_partitions(const ClusterSpec& cluster, const Principal& who) {
    std::vector<std::string> names;
    for (const PartitionSpec& partition : cluster.partitions) {
        const bool takes =
            partition.state == PartitionState::up || partition.state == PartitionState::down;
        if (takes && may_ask_for(partition, who)) names.push_back(partition.name);
    }
    return join(names, ",");
}

bool needs_operator(const JobSpec& spec) { return spec.nice < 0 || spec.priority.value_or(0) > 0; }
// Whether all that only operators may set has been set since by the site.
bool set_by_site(const std::vector<JobSpec>& before, const SubmitJob& job) {
    bool any = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const JobSpec& now = i == 0 ? job.spec : job.components[i - 1];
        if (!needs_operator(now)) continue;
        const bool own_nice = now.nice < 0 && now.nice == before[i].nice;
        const bool own_priority =
            now.priority.value_or(0) > 0 && now.priority == before[i].priority;
        if (own_nice || own_priority) return false;
        any = true;
    }
    return any;
}

}  // namespace

bool JobSubmit::concerns(const ClusterSpec& spec, const Command& command) {
    if (spec.job_submit.plugins.empty()) return false;
    return std::holds_alternative<SubmitJob>(command) || std::holds_alternative<TestJob>(command) ||
           std::holds_alternative<UpdateJob>(command) || std::holds_alternative<HoldJob>(command);
}

JobSubmit::Outcome JobSubmit::apply(const Snapshot& snapshot, const Principal& who,
                                    Command& command) {
    const std::lock_guard lock(mutex_);
    speech_.begin(snapshot.spec);
    const Asked asked{snapshot, who};
    Refusing no;
    if (auto* const job = std::get_if<SubmitJob>(&command)) {
        no = submit(asked, *job);
    } else if (auto* const test = std::get_if<TestJob>(&command)) {
        no = submit(asked, test->submission);
    } else if (auto* const update = std::get_if<UpdateJob>(&command)) {
        no = modify(asked, update->job, update->change);
    } else if (const auto* const held = std::get_if<HoldJob>(&command)) {
        no = hold(asked, *held);
    }
    return {std::move(no), speech_.messages()};
}

JobSubmit::Refusing JobSubmit::submit(const Asked& asked, SubmitJob& job) {
    std::vector<JobSpec> before{job.spec};
    before.insert(before.end(), job.components.begin(), job.components.end());
    for (std::size_t i = 0; i < before.size(); ++i) {
        for (const std::string& plugin : asked.snapshot.spec->job_submit.plugins) {
            if (Refusing no = submit_to(plugin, asked, job, i)) return no;
        }
    }
    job.site_set_priority = set_by_site(before, job);
    return std::nullopt;
}

JobSubmit::Refusing JobSubmit::submit_to(const std::string& plugin, const Asked& asked,
                                         SubmitJob& job, std::size_t component) {
    JobSpec& spec = component == 0 ? job.spec : job.components[component - 1];
    const ClusterSpec& cluster = *asked.snapshot.spec;
    if (plugin == "all_partitions") {
        if (spec.partition.empty()) spec.partition = all_partitions(cluster, asked.who);
        return std::nullopt;
    }
    if (plugin == "require_timelimit") {
        if (spec.request->time_limit.has_value()) return std::nullopt;
        return refuse_by(asked, kTimeLimitMissing,
                         "JobSubmitPlugins=require_timelimit: give the job a --time");
    }
    BERTH_ASSERT(plugin == "lua");
    std::optional<std::uint32_t> offset;
    if (!job.components.empty()) offset = static_cast<std::uint32_t>(component);
    JobDesc desc({spec, job.payload, asked.who, cluster, offset});
    PartList partitions(cluster, asked.who);
    const std::array<ScriptValue, 3> arguments = {static_cast<ScriptTable*>(&desc),
                                                  partitions.tables(), std::int64_t{asked.who.uid}};
    return call_script(asked, "slurm_job_submit", arguments);
}

// The other plugins have nothing to say of changes.
JobSubmit::Refusing JobSubmit::modify(const Asked& asked, const JobRef& ref, JobChange& change) {
    const ClusterSpec& cluster = *asked.snapshot.spec;
    const std::vector<std::string>& plugins = cluster.job_submit.plugins;
    if (std::ranges::find(plugins, "lua") == plugins.end()) return std::nullopt;
    // Of several records, those of an array, the script sees the first.
    const api::JobName name{ref.job, ref.array_tasks, ref.het_offset};
    const std::set<JobId> records = records_of(asked.snapshot, name);
    const Job* const job = records.empty() ? nullptr : asked.snapshot.find_job(*records.begin());
    // What the script says could tell of another's job: the controller refuses without it.
    const auto may_change = [&] {
        const bool own = acts_as_owner(cluster, asked.who, Verb::update_job, *job);
        return allowed(asked.who.role, Verb::update_job, own);
    };
    if (job == nullptr || !may_change()) return std::nullopt;
    JobChangeDesc desc(change);
    JobRec record({*job, cluster});
    PartList partitions(cluster, asked.who);
    const std::array<ScriptValue, 4> arguments = {static_cast<ScriptTable*>(&desc),
                                                  static_cast<ScriptTable*>(&record),
                                                  partitions.tables(), std::int64_t{asked.who.uid}};
    return call_script(asked, "slurm_job_modify", arguments);
}

// With Slurm a hold is a change of the priority to 0, and a release one to INFINITE.
JobSubmit::Refusing JobSubmit::hold(const Asked& asked, const HoldJob& command) {
    JobChange change;
    change.priority = command.hold == Hold::none ? static_cast<std::uint32_t>(kSlurmInfinite) : 0U;
    const JobChange as_asked = change;
    if (Refusing no = modify(asked, command.job, change)) return no;
    if (change == as_asked) return std::nullopt;
    return fail(asked, std::string(kSubmitScriptName) +
                           ": slurm_job_modify() cannot change job_desc when a job is held or "
                           "released (job_desc.priority is 0 or slurm.INFINITE)");
}

JobSubmit::Refusing JobSubmit::call_script(const Asked& asked, const char* function,
                                           std::span<const ScriptValue> arguments) {
    if (const Status done = load(asked.snapshot.spec->job_submit.script); !done.ok())
        return fail(asked, done.error().message);
    const Result<ScriptValue> result = script_->call(function, arguments);
    if (script_->is_spoilt()) script_.reset();
    if (!result.ok()) return fail(asked, result.error().message);
    const std::optional<std::int64_t> number = returned_number(*result);
    if (!number) {
        speech_.log(LogLevel::info, std::string(kSubmitScriptName) + ": " + function +
                                        "() returned no number: taken for slurm.SUCCESS");
    }
    if (number.value_or(0) == 0) return std::nullopt;
    return refuse_by(asked, *number, {});
}

Status JobSubmit::load(const SharedText& text) {
    if (script_ && loaded_ == text) return Done{};
    script_.reset();
    Result<LuaScript> script = load_submit_script(text.plain(), speech_, limits_);
    if (!script.ok()) return script.error();
    script_.emplace(*std::move(script));
    loaded_ = text;
    return Done{};
}

JobSubmit::Refusing JobSubmit::refuse_by(const Asked& asked, std::int64_t number, std::string why) {
    const std::string text = slurm_error_text(number);
    const std::vector<std::string> messages = speech_.messages();
    if (why.empty()) why = messages.empty() ? text : join(messages, "; ");
    api::Problem problem =
        api::problem_of(Refusal::refused_by_site, "The site's rules refuse this: " + why, messages);
    problem.slurm = text;
    speech_.log(LogLevel::info, "refused what " + asked.who.user + " (uid " +
                                    std::to_string(asked.who.uid) +
                                    ") asked: " + std::to_string(number) + ", " + text);
    return problem;
}

JobSubmit::Refusing JobSubmit::fail(const Asked& asked, std::string error) {
    speech_.log(LogLevel::error, error);
    speech_.tell_user(error);
    return refuse_by(asked, kUnspecified, std::move(error));
}

Status JobSubmit::check(const std::string& script) {
    SilentLog nobody;
    SubmitSpeech speech(nobody);
    const Result<LuaScript> loaded = load_submit_script(script, speech, {});
    if (!loaded.ok()) return loaded.error();
    return Done{};
}

}  // namespace berth
