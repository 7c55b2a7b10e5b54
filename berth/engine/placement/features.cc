#include "berth/engine/placement/features.h"

#include <algorithm>

namespace berth {
namespace {

constexpr std::size_t kExpressionLengthMax = 4096;
constexpr int kNestingMax = 16;
constexpr std::string_view kSpecial = "&|()[]*, \t";

}  // namespace

class FeatureParser {
public:
    explicit FeatureParser(std::string_view text) : rest_(text) {}

    Result<FeatureExpression> parse() {
        BERTH_TRY(out_.top_, expression(0));
        if (!rest_.empty()) return unexpected();
        return std::move(out_);
    }

private:
    using Kind = FeatureExpression::Kind;

    // Applies operators from left to right. A repeated operator extends one term.
    Result<std::size_t> expression(int depth) {
        BERTH_TRY(std::size_t left, operand(depth));
        bool own = false;  // True once `left` is a term that this loop made.
        while (!rest_.empty() && (rest_.front() == '&' || rest_.front() == '|')) {
            const Kind kind = rest_.front() == '&' ? Kind::all : Kind::any;
            rest_.remove_prefix(1);
            BERTH_TRY(const std::size_t right, operand(depth));
            if (!own || out_.terms_[left].kind != kind) {
                left = add({.kind = kind, .name = 0, .of = {left}});
                own = true;
            }
            out_.terms_[left].of.push_back(right);
        }
        return left;
    }

    Result<std::size_t> operand(int depth) {
        if (depth > kNestingMax) return refused("is nested too deeply");
        if (rest_.empty()) return refused("ends where a feature should stand");
        if (rest_.front() == '(') return bracketed(depth, ')');
        if (rest_.front() == '[') return same_for_all(depth);
        const std::size_t length = std::min(rest_.find_first_of(kSpecial), rest_.size());
        if (length == 0) return unexpected();
        out_.names_.emplace_back(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return add({.kind = Kind::name, .name = out_.names_.size() - 1, .of = {}});
    }

    Result<std::size_t> bracketed(int depth, char close) {
        rest_.remove_prefix(1);
        BERTH_TRY(const std::size_t inner, expression(depth + 1));
        if (rest_.empty() || rest_.front() != close) {
            return rest_.empty() ? refused(std::string("lacks a '") + close + "'") : unexpected();
        }
        rest_.remove_prefix(1);
        return inner;
    }

    Result<std::size_t> same_for_all(int depth) {
        if (out_.alternatives_ > 1) return refused("has more than one [ … | … ]");
        BERTH_TRY(const std::size_t inner, bracketed(depth, ']'));
        if (out_.terms_[inner].kind != Kind::any) return inner;
        if (out_.alternatives_ > 1) return refused("has more than one [ … | … ]");
        out_.terms_[inner].kind = Kind::same;
        out_.alternatives_ = out_.terms_[inner].of.size();
        return inner;
    }

    std::size_t add(FeatureExpression::Term term) {
        out_.terms_.push_back(std::move(term));
        return out_.terms_.size() - 1;
    }
    Error unexpected() const {
        if (rest_.front() == '*') return refused("counts nodes (\"*\"), which is not supported");
        return refused(std::string("has a '") + rest_.front() + "' where it means nothing");
    }
    static Error refused(std::string_view what) {
        return Error{ErrorCode::invalid_argument, "the constraint " + std::string(what)};
    }

    std::string_view rest_;
    FeatureExpression out_;
};

Result<FeatureExpression> FeatureExpression::parse(std::string_view text) {
    if (text.size() > kExpressionLengthMax) {
        return Error{ErrorCode::invalid_argument, "the constraint is longer than 4096 letters"};
    }
    return FeatureParser(text).parse();
}

bool FeatureExpression::matches(const std::vector<std::string>& features,
                                std::size_t alternative) const {
    return holds(top_, features, alternative);
}

bool FeatureExpression::holds(std::size_t term, const std::vector<std::string>& features,
                              std::size_t alternative) const {
    const Term& one = terms_[term];
    const auto member_holds = [&](std::size_t member) {
        return holds(member, features, alternative);
    };
    switch (one.kind) {
        case Kind::name:
            return std::find(features.begin(), features.end(), names_[one.name]) != features.end();
        case Kind::all: return std::all_of(one.of.begin(), one.of.end(), member_holds);
        case Kind::any: return std::any_of(one.of.begin(), one.of.end(), member_holds);
        case Kind::same: return member_holds(one.of[alternative]);
    }
    return false;
}

}  // namespace berth
