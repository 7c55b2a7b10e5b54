// SumTimeline: several sums over time, as step functions, for holders with tens of thousands of
// runs and planned starts. Steps lie in chunks that know the bounds of their sums, so a change or a
// search costs the number of chunks and the steps of a few. A chunk holds as many steps as there
// are chunks, so that both grow with the square root of the number of steps.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "berth/base/make_room.h"
#include "berth/engine/plan/timeline.h"

namespace berth {

// Which bounds the chunks keep. With the lower one alone, what lowers the sums costs only the steps
// that it changes.
enum class KeptBounds : std::uint8_t { both, least };

template <std::size_t N, KeptBounds kBounds = KeptBounds::both>
class SumTimeline {
public:
    using Sums = std::array<std::int64_t, N>;
    // In [start, end) each sum lies within these bounds. Where `most` is not kept, it is known of
    // one step only.
    struct Span {
        Time start{}, end{};
        Sums least{}, most{};
    };

    // `chunk_most`: so many steps lie in a chunk at most, while there are no more chunks than that.
    explicit SumTimeline(const Sums& sums = {}, std::size_t chunk_most = 64)
        : chunk_most_(chunk_most) {
        Chunk first{.least = sums, .most = sums};
        first.steps.reserve(4);  // Most sums of a large site never have more.
        first.steps.push_back({Time::min(), sums});
        chunks_.push_back(std::move(first));
    }

    void add(Time start, Time end, const Sums& more) {
        if (end <= start) return;
        const Place first = split(start);
        // What is split later lies behind, unless the chunk was halved.
        const std::size_t chunks = chunks_.size();
        const Place last = end == kNever ? Place{chunks_.size(), 0} : split(end);
        if (chunks_.size() != chunks) return add(start, end, more);  // Both steps are there now.
        for (std::size_t c = first.chunk; c < chunks_.size() && c <= last.chunk; ++c) {
            Chunk& chunk = chunks_[c];
            const std::size_t from = c == first.chunk ? first.step : 0;
            const std::size_t to = c == last.chunk ? last.step : chunk.steps.size();
            if (from == 0 && to == chunk.steps.size()) {
                add_to(chunk.more, more);
            } else if (from < to) {
                add_to_steps(chunk, from, to, more);
            }
        }
        if (end != kNever) join(end);
        join(start);
    }

    // One step: its bounds are equal.
    Span at(Time moment) const {
        const Place place = place_of(moment);
        return span_of(place, place.step);
    }
    // The steps of one chunk, this moment among them.
    Span around(Time moment) const {
        const std::size_t c = chunk_of(moment);
        const Chunk& chunk = chunks_[c];
        Span span{chunk.steps.front().start, end_of(c), chunk.least, chunk.most};
        add_to(span.least, chunk.more);
        if constexpr (kBounds == KeptBounds::both) add_to(span.most, chunk.more);
        return span;
    }
    // The chunks that meet [start, end), at a fraction of what looking at each by itself costs.
    Span over(Time start, Time end) const {
        std::size_t c = chunk_of(start);
        Span span = around(start);
        for (++c; c < chunks_.size() && chunks_[c].steps.front().start < end; ++c) {
            const Chunk& chunk = chunks_[c];
            for (std::size_t i = 0; i < N; ++i) {
                span.least[i] = std::min(span.least[i], chunk.least[i] + chunk.more[i]);
                if constexpr (kBounds == KeptBounds::both)
                    span.most[i] = std::max(span.most[i], chunk.most[i] + chunk.more[i]);
            }
        }
        span.end = c < chunks_.size() ? chunks_[c].steps.front().start : kNever;
        return span;
    }
    // The first start, from `earliest` on, at which the first sum is at least `amount` for
    // `length`, but no longer than until `until`. kNever: there is none.
    Time first_at_least(std::int64_t amount, Time earliest, Duration length, Time until) const {
        Time start = earliest;
        const auto is_behind = [&](Time at) { return at >= std::min(after(start, length), until); };
        for (Place from = place_of(earliest); from.chunk < chunks_.size();
             from = {from.chunk + 1, 0}) {
            const Chunk& chunk = chunks_[from.chunk];
            const std::int64_t asked = amount - chunk.more[0];
            const std::vector<Step>& steps = chunk.steps;
            if (is_behind(std::max(steps.front().start, earliest))) return start;
            if (chunk.least[0] >= asked) continue;
            for (std::size_t i = from.step; i < steps.size(); ++i) {
                if (is_behind(std::max(steps[i].start, earliest))) return start;
                if (steps[i].sums[0] >= asked) continue;
                start = i + 1 < steps.size() ? steps[i + 1].start : end_of(from.chunk);
            }
        }
        return start;
    }
    // Visits [start, end) in spans: all of it or chunks whose bounds are `is_enough`, and each step
    // of others.
    template <class IsEnough, class Visit>
    void walk(Time start, Time end, IsEnough is_enough, Visit visit) const {
        if (start >= end) return;
        const auto clipped = [&](Span span) {
            span.start = std::max(span.start, start);
            span.end = std::min(span.end, end);
            return span;
        };
        if (const Span whole = over(start, end); is_enough(whole)) return visit(clipped(whole));
        for (Time at = start; at < end;) {
            const Span all = around(at);
            if (is_enough(all)) {
                visit(clipped(all));
            } else {
                Place place = place_of(at);
                for (; place.step < chunks_[place.chunk].steps.size(); ++place.step) {
                    const Span one = span_of(place, place.step);
                    if (one.start >= end) return;
                    visit(clipped(one));
                }
            }
            at = all.end;
        }
    }

private:
    struct Step {
        Time start{};
        Sums sums{};
    };
    struct Chunk {
        std::vector<Step> steps;  // Never empty.
        Sums more{};              // To be added to each of them, and to the bounds.
        Sums least{}, most{};
    };
    struct Place {
        std::size_t chunk = 0, step = 0;
    };

    static void add_to(Sums& sums, const Sums& more) {
        for (std::size_t i = 0; i < N; ++i) sums[i] += more[i];
    }
    static void bound(Chunk& chunk) {
        chunk.least = chunk.steps.front().sums;
        if constexpr (kBounds == KeptBounds::both) chunk.most = chunk.least;
        for (const Step& step : chunk.steps) widen(chunk, step);
    }
    static void widen(Chunk& chunk, const Step& step) {
        for (std::size_t i = 0; i < N; ++i) {
            chunk.least[i] = std::min(chunk.least[i], step.sums[i]);
            if constexpr (kBounds == KeptBounds::both)
                chunk.most[i] = std::max(chunk.most[i], step.sums[i]);
        }
    }
    // Where no sum rises, the least of the others is known already.
    static void add_to_steps(Chunk& chunk, std::size_t from, std::size_t to, const Sums& more) {
        const bool rises = std::ranges::any_of(more, [](std::int64_t one) { return one > 0; });
        const bool bounds_all = rises || kBounds == KeptBounds::both;
        for (std::size_t i = from; i < to; ++i) {
            add_to(chunk.steps[i].sums, more);
            if (!bounds_all) widen(chunk, chunk.steps[i]);
        }
        if (bounds_all) bound(chunk);
    }

    std::size_t chunk_of(Time moment) const {
        const auto next = std::ranges::upper_bound(
            chunks_, moment, {}, [](const Chunk& chunk) { return chunk.steps.front().start; });
        return static_cast<std::size_t>(next - chunks_.begin()) - 1;
    }
    Place place_of(Time moment) const {
        const std::size_t c = chunk_of(moment);
        const std::vector<Step>& steps = chunks_[c].steps;
        const auto next = std::ranges::upper_bound(steps, moment, {}, &Step::start);
        return {c, static_cast<std::size_t>(next - steps.begin()) - 1};
    }
    Time end_of(std::size_t chunk) const {
        return chunk + 1 < chunks_.size() ? chunks_[chunk + 1].steps.front().start : kNever;
    }
    Sums sums_of(const Place& place) const {
        Sums sums = chunks_[place.chunk].steps[place.step].sums;
        add_to(sums, chunks_[place.chunk].more);
        return sums;
    }
    Span span_of(const Place& place, std::size_t step) const {
        const std::vector<Step>& steps = chunks_[place.chunk].steps;
        const Time end = step + 1 < steps.size() ? steps[step + 1].start : end_of(place.chunk);
        const Sums sums = sums_of({place.chunk, step});
        return {steps[step].start, end, sums, sums};
    }

    std::size_t steps_most() const { return std::max(chunk_most_, chunks_.size()); }

    // Makes a step begin there, and returns its place.
    Place split(Time at) {
        const Place place = place_of(at);
        std::vector<Step>& steps = chunks_[place.chunk].steps;
        if (steps[place.step].start == at) return place;
        make_room(steps);
        const auto next = steps.begin() + static_cast<std::ptrdiff_t>(place.step) + 1;
        steps.insert(next, {at, steps[place.step].sums});
        if (steps.size() <= steps_most()) return {place.chunk, place.step + 1};
        halve(place.chunk);
        return place_of(at);
    }
    void halve(std::size_t c) {
        Chunk second{.more = chunks_[c].more};
        std::vector<Step>& steps = chunks_[c].steps;
        const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
        second.steps.assign(middle, steps.end());
        chunks_[c].steps = std::vector<Step>(steps.begin(), middle);
        bound(chunks_[c]);
        bound(second);
        chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(c) + 1, std::move(second));
    }

    // Drops the step that begins there if it is like the one before.
    void join(Time at) {
        const Place place = place_of(at);
        if (place.chunk == 0 && place.step == 0) return;
        const Place before =
            place.step > 0 ? Place{place.chunk, place.step - 1}
                           : Place{place.chunk - 1, chunks_[place.chunk - 1].steps.size() - 1};
        if (sums_of(place) != sums_of(before)) return;
        Chunk& chunk = chunks_[place.chunk];
        chunk.steps.erase(chunk.steps.begin() + static_cast<std::ptrdiff_t>(place.step));
        if (chunk.steps.empty()) {
            chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(place.chunk));
            return;
        }
        if (place.step == 0) bound(chunk);  // Else a step like it is still there.
        if (place.chunk > 0) merge(place.chunk);
    }
    // With the chunk before, if both are small.
    void merge(std::size_t c) {
        Chunk &before = chunks_[c - 1], &chunk = chunks_[c];
        if (before.steps.size() + chunk.steps.size() > steps_most() / 2) return;
        for (Step& step : chunk.steps) {
            for (std::size_t i = 0; i < N; ++i) step.sums[i] += chunk.more[i] - before.more[i];
            before.steps.push_back(step);
        }
        bound(before);
        chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(c));
    }

    std::size_t chunk_most_;
    std::vector<Chunk> chunks_;  // Never empty. The first step begins with time itself.
};

// How much is free in some span of time: between these bounds, until its end.
struct FreeSpan {
    Time end{};
    std::int64_t least = 0, most = 0;
};

// The first start, from `earliest` on, at which so much is free for `length`, but no longer than
// until `until`. kNever: there is none. `around` and `at` tell what is free from a moment on: in
// many steps or in one.
template <class Around, class At>
Time first_with_room(std::int64_t amount, Time earliest, Duration length, Time until, Around around,
                     At at) {
    Time start = earliest;
    for (Time moment = earliest; moment < std::min(after(start, length), until);) {
        FreeSpan span = around(moment);
        if (span.least < amount && span.most >= amount) span = at(moment);
        moment = span.end;
        if (span.least < amount) start = span.end;
    }
    return start;
}

}  // namespace berth
