#include "berth/agent/memory.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "berth/base/codec.h"

namespace berth {
namespace {

constexpr const char* kUnreadable = "its record on the node's disk could not be read";

std::string key_of(std::string_view kind, std::initializer_list<std::uint32_t> numbers) {
    std::string key(kind);
    for (const std::uint32_t number : numbers) key += "." + std::to_string(number);
    return key;
}
std::string attempt_key(AttemptKey key) {
    return key_of("attempt", {key.job.value(), key.attempt.value()});
}
std::string end_key(AttemptKey key) {
    return key_of("end", {key.job.value(), key.attempt.value()});
}
std::string step_key(std::string_view kind, const RunKey& run) {
    return key_of(kind, {run.job.value(), run.attempt.value(), run.step.value()});
}

// "end.12.1" -> 12, 1. Empty if the rest is not made of numbers.
std::vector<std::uint32_t> numbers_of(std::string_view rest) {
    std::vector<std::uint32_t> numbers;
    while (!rest.empty()) {
        std::uint32_t number = 0;
        const char* const first = rest.data() + 1;  // After the dot.
        const auto read = std::from_chars(first, rest.data() + rest.size(), number);
        if (read.ec != std::errc{} || read.ptr == first) return {};
        numbers.push_back(number);
        rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
        if (!rest.empty() && rest.front() != '.') return {};
    }
    return numbers;
}

RememberedAttempt unreadable_attempt(AttemptKey key) {
    RememberedAttempt attempt;
    attempt.launch.job = key.job;
    attempt.launch.attempt = key.attempt;
    attempt.launch.batch_host = true;
    attempt.started = true;
    attempt.failure = kUnreadable;
    attempt.unknown_share = true;
    return attempt;
}

}  // namespace

namespace {

template <class Value>
bool is_readable(const std::string& text) {
    const Result<Value> value = decode<Value>(text);
    return value.ok() && encode(*value) == text;
}

}  // namespace

Status check_memory(std::span<const MemoryWrite> stored) {
    for (const MemoryWrite& one : stored) {
        if (!one.value) continue;
        const bool wrong = (one.key == "epoch" && !is_readable<Epoch>(*one.value)) ||
                           (one.key == "session" && !is_readable<std::uint64_t>(*one.value));
        if (!wrong) continue;
        return Error{ErrorCode::failed_precondition,
                     "the agent's memory is damaged: its '" + one.key +
                         "' cannot be read. Make sure that no job runs here, remove the folder "
                         "'memory' of its state and start it again"};
    }
    return Done{};
}

Memory::Memory(std::span<const MemoryWrite> stored) {
    for (const MemoryWrite& one : stored) load(one);
}

void Memory::load(const MemoryWrite& stored) {
    if (!stored.value) return;
    const std::string_view key = stored.key;
    const std::size_t dot = key.find('.');
    if (key == "boot") boot_id_ = *stored.value;
    if (key == "epoch") highest_epoch_ = decode<Epoch>(*stored.value).value_or(Epoch{0});
    if (key == "session") session_ = decode<std::uint64_t>(*stored.value).value_or(0);
    if (dot != std::string_view::npos) {
        load_numbered(key.substr(0, dot), numbers_of(key.substr(dot)), *stored.value);
    }
}

void Memory::load_numbered(std::string_view kind, std::span<const std::uint32_t> numbers,
                           std::string_view value) {
    if (kind == "tombstone" && numbers.size() == 1) {
        const Attempt any{std::numeric_limits<std::uint32_t>::max()};
        tombstones_[JobId{numbers[0]}] = decode<Attempt>(value).value_or(any);
        return;
    }
    if (numbers.size() < 2) return;
    const AttemptKey key{JobId{numbers[0]}, Attempt{numbers[1]}};
    if (kind == "attempt") {
        attempts_[key] = decode<RememberedAttempt>(value).value_or(unreadable_attempt(key));
    } else if (kind == "end" && numbers.size() == 2) {
        AttemptReport lost{.job = key.job, .attempt = key.attempt, .live = false};
        lost.failure = kUnreadable;
        ends_[key] = decode<AttemptReport>(value).value_or(lost);
    } else if (numbers.size() == 3) {
        const RunKey run{key.job, key.attempt, StepId{numbers[2]}};
        if (kind == "step") {
            steps_[run] =
                decode<RememberedStep>(value).value_or(RememberedStep{.failure = kUnreadable});
        } else if (kind == "end") {
            StepReport lost{.job = run.job, .attempt = run.attempt, .step = run.step};
            lost.failure = kUnreadable;
            step_ends_[run] = decode<StepReport>(value).value_or(lost);
        }
    }
}

void Memory::write(std::string key, std::string value) {
    writes_.push_back({std::move(key), std::move(value)});
}
void Memory::erase(std::string key) { writes_.push_back({std::move(key), std::nullopt}); }

void Memory::set_boot_id(const std::string& boot_id) {
    boot_id_ = boot_id;
    write("boot", boot_id);
}

void Memory::raise_epoch(Epoch epoch) {
    if (epoch <= highest_epoch_) return;
    highest_epoch_ = epoch;
    write("epoch", encode(epoch));
}

std::uint64_t Memory::next_session() {
    write("session", encode(++session_));
    return session_;
}

Attempt Memory::last_attempt(JobId job) const {
    Attempt last{0};
    const auto consider = [&](const auto& by_attempt) {
        for (auto it = by_attempt.lower_bound({job, Attempt{0}});
             it != by_attempt.end() && it->first.job == job; ++it) {
            last = std::max(last, it->first.attempt);
        }
    };
    if (const auto found = tombstones_.find(job); found != tombstones_.end()) last = found->second;
    consider(attempts_);
    consider(ends_);
    return last;
}

void Memory::leave_tombstone(AttemptKey key) {
    Attempt& last = tombstones_[key.job];
    if (key.attempt <= last) return;
    last = key.attempt;
    write(key_of("tombstone", {key.job.value()}), encode(last));
}

void Memory::drop_tombstone(JobId job) {
    if (tombstones_.erase(job) > 0) erase(key_of("tombstone", {job.value()}));
}

void Memory::drop_tombstones_before(JobId oldest) {
    std::vector<JobId> gone;
    for (const auto& [job, last] : tombstones_) {
        if (job >= oldest) break;
        gone.push_back(job);
    }
    drop_tombstones_of(gone);
}

void Memory::drop_tombstones_of(std::span<const JobId> jobs) {
    for (const JobId job : jobs) {
        if (!has(job)) drop_tombstone(job);
    }
}

bool Memory::has(JobId job) const {
    const auto holds = [&](const auto& by_attempt) {
        const auto first = by_attempt.lower_bound({job, Attempt{0}});
        return first != by_attempt.end() && first->first.job == job;
    };
    return holds(attempts_) || holds(ends_);
}

void Memory::remember(const RememberedAttempt& attempt) {
    const AttemptKey key{attempt.launch.job, attempt.launch.attempt};
    write(attempt_key(key), encode(attempt));
    attempts_[key] = attempt;
}

void Memory::remember(const RunKey& step, const RememberedStep& remembered) {
    write(step_key("step", step), encode(remembered));
    steps_[step] = remembered;
}

void Memory::forget(AttemptKey key) {
    if (attempts_.erase(key) > 0) erase(attempt_key(key));
    auto step = steps_.lower_bound({key.job, key.attempt, StepId{0}});
    while (step != steps_.end() && step->first.job == key.job &&
           step->first.attempt == key.attempt) {
        erase(step_key("step", step->first));
        step = steps_.erase(step);
    }
}

void Memory::spool(const AttemptReport& end) {
    const AttemptKey key{end.job, end.attempt};
    write(end_key(key), encode(end));
    ends_[key] = end;
}

void Memory::spool(const StepReport& end) {
    const RunKey run{end.job, end.attempt, end.step};
    write(step_key("end", run), encode(end));
    step_ends_[run] = end;
}

void Memory::unspool(AttemptKey key) {
    if (ends_.erase(key) > 0) erase(end_key(key));
}
void Memory::unspool(const RunKey& step) {
    if (step_ends_.erase(step) > 0) erase(step_key("end", step));
}

}  // namespace berth
