// FeatureExpression: the parsed --constraint on a node's features: "a100&ib", "(a&b)|c",
// "[rack1|rack2]".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth {

// As in Slurm, & and | have equal precedence: without parentheses they apply from left to right.
class FeatureExpression {
public:
    static Result<FeatureExpression> parse(std::string_view text);

    // Number of alternatives: 1, or the members of "[a|b|c]", of which all nodes of a job must
    // match the same one.
    std::size_t alternatives() const { return alternatives_; }
    bool matches(const std::vector<std::string>& features, std::size_t alternative) const;

    // The features named, with repetitions.
    const std::vector<std::string>& names() const { return names_; }

private:
    friend class FeatureParser;
    enum class Kind : std::uint8_t { name, all, any, same };
    struct Term {
        Kind kind = Kind::name;
        std::size_t name = 0;         // Index into names_.
        std::vector<std::size_t> of;  // Indices into terms_.
    };
    bool holds(std::size_t term, const std::vector<std::string>& features,
               std::size_t alternative) const;

    std::vector<std::string> names_;
    std::vector<Term> terms_;
    std::size_t top_ = 0;
    std::size_t alternatives_ = 1;
};

}  // namespace berth
