// CallResult<T>: what a call brought, or the problem document that came instead.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>
#include <variant>

#include "berth/api/messages.h"
#include "berth/base/assert.h"

namespace berth {

// A call that never reached the controller has a problem too, made here: status 0, code
// "unavailable" (nobody listens) or "timed_out", and in `slurm` the text that Slurm's commands
// print for it.
template <class T>
class [[nodiscard]] CallResult {
public:
    template <class U = T>
        requires std::convertible_to<U, T> && (!std::same_as<std::remove_cvref_t<U>, CallResult>) &&
                 (!std::same_as<std::remove_cvref_t<U>, api::Problem>)
    CallResult(U&& value)  // NOLINT(google-explicit-constructor)
        : outcome_(std::in_place_index<0>, std::forward<U>(value)) {}
    CallResult(api::Problem problem)  // NOLINT(google-explicit-constructor)
        : outcome_(std::in_place_index<1>, std::move(problem)) {}

    bool ok() const { return outcome_.index() == 0; }
    explicit operator bool() const { return ok(); }

    const T& value() const& {
        BERTH_ASSERT(ok());
        return *std::get_if<0>(&outcome_);
    }
    T& value() & {
        BERTH_ASSERT(ok());
        return *std::get_if<0>(&outcome_);
    }
    T&& value() && {
        BERTH_ASSERT(ok());
        return std::move(*std::get_if<0>(&outcome_));
    }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    const api::Problem& problem() const {
        BERTH_ASSERT(!ok());
        return *std::get_if<1>(&outcome_);
    }

private:
    std::variant<T, api::Problem> outcome_;
};

// What a Slurm-named command prints behind "error: ": Slurm's text where there is one, else ours.
inline const std::string& slurm_message(const api::Problem& problem) {
    if (!problem.slurm.empty()) return problem.slurm;
    return problem.detail.empty() ? problem.title : problem.detail;
}

}  // namespace berth
