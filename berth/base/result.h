// Result<T>: a value, or an Error that says why there is none. For the edges of the system.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "berth/base/assert.h"

namespace berth {

// Names and meanings as in gRPC, so that the link maps them one to one.
enum class ErrorCode {
    invalid_argument,
    not_found,
    already_exists,
    failed_precondition,
    permission_denied,
    resource_exhausted,
    unavailable,
    internal,
};

// "invalid_argument"
std::string_view to_string(ErrorCode code);

struct Error {
    ErrorCode code;
    std::string message;  // For a person: what was wrong, and what would have been right.

    friend bool operator==(const Error&, const Error&) = default;
};

// The same error, after saying where: "slurm.conf:12: " + message.
Error prefixed(std::string_view where, Error error);

template <class T>
class [[nodiscard]] Result {
public:
    // Implicit, so that `return job;` and `return Error{...};` both read plainly.
    template <class U = T>
        requires std::convertible_to<U, T> && (!std::same_as<std::remove_cvref_t<U>, Error>) &&
                 (!std::same_as<std::remove_cvref_t<U>, Result>)
    Result(U&& value)  // NOLINT(google-explicit-constructor)
        : outcome_(std::in_place_index<0>, std::forward<U>(value)) {}
    Result(Error error)  // NOLINT(google-explicit-constructor)
        : outcome_(std::in_place_index<1>, std::move(error)) {}

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
    T value_or(T otherwise) const& {
        if (ok()) return value();
        return otherwise;
    }

    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    const Error& error() const& {
        BERTH_ASSERT(!ok());
        return *std::get_if<1>(&outcome_);
    }
    Error&& error() && {
        BERTH_ASSERT(!ok());
        return std::move(*std::get_if<1>(&outcome_));
    }

private:
    std::variant<T, Error> outcome_;
};

struct Done {
    friend bool operator==(Done, Done) = default;
};
using Status = Result<Done>;  // Nothing to return but the success itself: `return Done{};`.

}  // namespace berth

// BERTH_TRY(auto job, parse_job(text)) takes the value, or returns the error to our caller.
// BERTH_CHECK(journal.append(record)) does the same where there is no value to take.
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot stand in parentheses.
#define BERTH_TRY(declaration, ...) \
    BERTH_TRY_IN(BERTH_JOIN(berth_result_, __LINE__), declaration, __VA_ARGS__)
#define BERTH_TRY_IN(result, declaration, ...)          \
    auto result = (__VA_ARGS__);                        \
    if (!result.ok()) return std::move(result).error(); \
    declaration = std::move(result).value()
#define BERTH_CHECK(...) BERTH_CHECK_IN(BERTH_JOIN(berth_status_, __LINE__), __VA_ARGS__)
#define BERTH_CHECK_IN(status, ...)                                                      \
    do {                                                                                 \
        if (auto status = (__VA_ARGS__); !status.ok()) return std::move(status).error(); \
    } while (false)
#define BERTH_JOIN(a, b) BERTH_JOIN_IN(a, b)
#define BERTH_JOIN_IN(a, b) a##b
// NOLINTEND(bugprone-macro-parentheses)
