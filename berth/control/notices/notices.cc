#include "berth/control/notices/notices.h"

#include <algorithm>
#include <array>

#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

// Position of the bits of the four notices before a time limit, as in Job::limit_notices.
constexpr int kLimitShift = 4;
struct Level {
    MailType type;
    std::int64_t tenths;  // Tenths of the time limit.
};
// Latest first: a late notice replaces the earlier ones.
constexpr auto kLevels = std::to_array<Level>({{MailType::time_limit, 10},
                                               {MailType::time_limit_90, 9},
                                               {MailType::time_limit_80, 8},
                                               {MailType::time_limit_50, 5}});

constexpr std::uint8_t bit_of(MailType type) {
    return static_cast<std::uint8_t>(static_cast<std::uint16_t>(type) >> kLimitShift);
}

MailTypes mail_types(const Job& job) {
    return {static_cast<std::uint16_t>(job.spec.command->mail_types)};
}

bool is_interesting(const Job& job, std::uint32_t webhook_events) {
    return webhook_events != 0 || job.spec.command->mail_types != 0;
}

// One mail for all tasks of an array, unless the user asked for one per task.
bool is_summed_up(const Job& job) {
    return (job.spec.array || job.array_task) && !mail_types(job).has(MailType::array_tasks);
}

JobId array_of(const Job& job) { return job.array_job.value_or(job.id); }

// The time-limit notices that have a subscriber and are still due.
std::uint8_t limits_to_come(const Job& job, std::uint32_t webhook_events) {
    const std::uint32_t wanted = job.spec.command->mail_types | webhook_events;
    return static_cast<std::uint8_t>((wanted >> kLimitShift) & 0xfU & ~job.limit_notices);
}

Time moment_of(const Level& level, const Job& job, Time end) {
    return end - job.time_limit / 10 * (10 - level.tenths);
}

}  // namespace

Notices::Notices(const ClusterState& state) { learn(state); }

Notices::Seen Notices::seen_now(const Job& job) {
    Seen seen{.attempt = job.attempt, .dependency_failed = job.dependency_failed};
    seen.array = job.array_job.plain();
    if (job.spec.array) seen.array = job.id;
    if (job.state == JobState::running) seen.phase = Phase::running;
    if (job.state == JobState::completing) {
        seen.phase = job.outcome == JobState::pending ? Phase::requeued : Phase::over;
    }
    if (is_final(job.state)) seen.phase = Phase::over;
    return seen;
}

// Takes the present state as known, without notices.
void Notices::learn(const ClusterState& state) {
    webhook_events_ =
        state.spec().notifications.webhook.empty() ? 0 : state.spec().notifications.webhook_events;
    seen_.clear();
    arrays_.clear();
    limits_ = {};
    for (const auto& [id, job] : state.jobs()) {
        if (!is_interesting(job, webhook_events_)) continue;
        const Seen& seen = seen_[id] = seen_now(job);
        set_alarm(job);
        if (!is_summed_up(job)) continue;
        Array& array = arrays_[array_of(job)];
        const bool some_left = job.spec.array && !job.array_bounds.empty() &&
                               job.spec.array->tasks.size() < job.array_bounds.front();
        array.began = array.began || job.attempt > Attempt{0} || some_left;
        if (seen.phase == Phase::over) array.outcome.add(job);
        array.outcome.requeued = array.outcome.requeued || job.restarts > 0;
    }
}

void Notices::forget(const ClusterState& state, JobId id) {
    limits_.set(id, std::nullopt);
    const auto known = seen_.find(id);
    if (known == seen_.end()) return;
    const std::optional<JobId> array = known->second.array;
    seen_.erase(known);
    if (array && array_members(state, *array).empty()) arrays_.erase(*array);
}

void Notices::note(TurnBuilder& builder, const ClusterState::Touched& touched) {
    const ClusterState& state = builder.state();
    const NotificationSpec& spec = state.spec().notifications;
    const std::uint32_t events = spec.webhook.empty() ? 0 : spec.webhook_events;
    // The webhook's events changed: what is already so is no news.
    if (touched.spec && events != webhook_events_) return learn(state);
    for (const JobId id : touched.gone) forget(state, id);
    for (const Fact& fact : builder.turn().record.facts) {
        if (const auto* update = std::get_if<JobUpdated>(&fact)) take_interest(state, *update);
    }
    for (const JobId id : touched.jobs) {
        const Job* const job = state.find_job(id);
        if (job == nullptr) continue;
        if (is_interesting(*job, webhook_events_)) {
            compare(builder, *job);
            set_alarm(*job);
        } else if (seen_.contains(id)) {
            forget(state, id);
        }
    }
}

// A subscription in the middle of a job's life covers later events only.
void Notices::take_interest(const ClusterState& state, const JobUpdated& update) {
    const Job* const job = state.find_job(update.job);
    if (!update.mail_types || job == nullptr || seen_.contains(update.job)) return;
    if (is_interesting(*job, webhook_events_)) seen_[update.job] = seen_now(*job);
}

void Notices::compare(TurnBuilder& builder, const Job& job) {
    const Seen now = seen_now(job);
    const Seen before = std::exchange(seen_[job.id], now);
    const bool began = now.attempt > before.attempt;
    if (now.dependency_failed && !before.dependency_failed) {
        tell(builder, job, MailType::invalid_depend);
    }
    if (began) tell(builder, job, MailType::begin);
    const bool ran = began || before.phase == Phase::running;
    const bool put_back = now.phase == Phase::requeued || now.phase == Phase::waiting;
    if (now.phase == Phase::over && (ran || before.phase != Phase::over)) {
        tell_end(builder, job);
    } else if (put_back && (ran || before.phase == Phase::over)) {
        tell(builder, job, MailType::requeue);
    }
}

void Notices::tell_end(TurnBuilder& builder, const Job& job) {
    const JobState end = end_of(job);
    const bool well = end == JobState::completed || end == JobState::cancelled;
    // As in Slurm, a subscriber to END alone gets no mail about a failure.
    const MailType type = well ? MailType::end : MailType::fail;
    post(builder, job, type);
    if (is_summed_up(job)) return end_array_task(builder, job);
    if (mail_types(job).has(type)) send_mail(builder, job, type, nullptr);
}

void Notices::post(TurnBuilder& builder, const Job& job, MailType type) const {
    const NotificationSpec& spec = builder.state().spec().notifications;
    if (!MailTypes{static_cast<std::uint16_t>(webhook_events_)}.has(type)) return;
    builder.notify({.mail = {},
                    .news = news_of(builder.state(), job, type, builder.now()),
                    .webhook = spec.webhook,
                    .secret_file = spec.webhook_secret_file});
}

void Notices::tell(TurnBuilder& builder, const Job& job, MailType type) {
    post(builder, job, type);
    if (is_summed_up(job)) return tell_of_array(builder, job, type);
    if (mail_types(job).has(type)) send_mail(builder, job, type, nullptr);
}

// Once for all tasks. Requeued tasks are mentioned when all tasks have ended.
void Notices::tell_of_array(TurnBuilder& builder, const Job& job, MailType type) {
    Array& array = arrays_[array_of(job)];
    if (type == MailType::requeue) {
        array.outcome.requeued = true;
        return;
    }
    const std::uint8_t bit = bit_of(type) & 0xf;
    const bool told = type == MailType::begin ? array.began : (array.limit_notices & bit) != 0;
    array.limit_notices |= bit;
    array.began = array.began || type == MailType::begin;
    if (told || !mail_types(job).has(type)) return;
    send_mail(builder, job, type, &array.outcome);
}

void Notices::end_array_task(TurnBuilder& builder, const Job& job) {
    Array& array = arrays_[array_of(job)];
    array.outcome.add(job);
    const ClusterState& state = builder.state();
    // As noted so far: others that ended in this very turn are added after this one.
    const auto is_over = [&](JobId id) {
        const auto known = seen_.find(id);
        const Seen seen = known != seen_.end() ? known->second : seen_now(*state.find_job(id));
        return seen.phase == Phase::over;
    };
    if (array.over || !std::ranges::all_of(array_members(state, array_of(job)), is_over)) return;
    array.over = true;
    const MailTypes wanted = mail_types(job);
    MailType type = MailType::end;
    if (array.outcome.requeued && wanted.has(MailType::requeue)) type = MailType::requeue;
    if (array.outcome.failed && wanted.has(MailType::fail)) type = MailType::fail;
    if (wanted.has(type)) send_mail(builder, job, type, &array.outcome);
}

// For a heterogeneous job, only the first component sends mail.
void Notices::send_mail(TurnBuilder& builder, const Job& job, MailType type,
                        const ArrayOutcome* array) {
    const NotificationSpec& spec = builder.state().spec().notifications;
    const std::string& to = job.spec.command->mail_user;
    if (spec.mail_program.empty() || to.empty() || (job.het && job.het->offset > 0)) return;
    Notice notice;
    notice.mail =
        Mail{.program = spec.mail_program,
             .to = to,
             .subject = array == nullptr ? mail_subject(job, type, builder.now())
                                         : array_subject(job, type, *array),
             .environment = mail_variables(builder.state(), job, type, array, builder.now())};
    builder.notify(std::move(notice));
}

void Notices::set_alarm(const Job& job) {
    std::optional<Time> at;
    const std::uint8_t wanted = limits_to_come(job, webhook_events_);
    const bool runs = job.state == JobState::running && wanted != 0;
    if (const std::optional<Time> end = runs ? limit_ends(job) : std::nullopt) {
        for (const Level& level : kLevels) {
            if ((wanted & bit_of(level.type)) == 0) continue;
            const Time moment = moment_of(level, job, *end);
            at = at ? std::min(*at, moment) : moment;
        }
    }
    limits_.set(job.id, at);
}

void Notices::note_limits(TurnBuilder& builder) {
    for (const JobId id : limits_.due(builder.now())) {
        // Set again at the end of the turn if the job changes in it.
        limits_.set(id, std::nullopt);
        const Job* const found = builder.state().find_job(id);
        const auto end = found != nullptr && found->state == JobState::running
                             ? limit_ends(*found)
                             : std::optional<Time>();
        if (!end) continue;
        const std::uint8_t wanted = limits_to_come(*found, webhook_events_);
        std::optional<MailType> latest;
        std::uint8_t passed = 0;
        for (const Level& level : kLevels) {
            if (moment_of(level, *found, *end) > builder.now()) continue;
            passed |= bit_of(level.type);
            if (!latest && (wanted & bit_of(level.type)) != 0) latest = level.type;
        }
        if (!latest) continue;
        builder.record(JobNoticed{id, found->attempt, passed});
        tell(builder, *builder.state().find_job(id), *latest);
    }
}

}  // namespace berth
