// SharedText: a string that many may hold and nobody changes, read like a std::string. It takes one
// pointer, and nothing while it is empty. Names that thousands of jobs have in common are held so.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/shared.h"

namespace berth {

// NOLINTBEGIN(google-explicit-constructor): it is that string, held otherwise.
class SharedText {
public:
    using Plain = std::string;

    SharedText() = default;
    SharedText(std::string text) : text_(std::move(text)) {}
    SharedText(std::string_view text) : text_(std::string(text)) {}
    SharedText(const char* text) : text_(std::string(text)) {}

    const std::string& plain() const { return *text_; }
    const std::string& operator*() const { return *text_; }
    operator const std::string&() const { return *text_; }
    operator std::string_view() const { return *text_; }

    bool empty() const { return text_.empty(); }
    std::size_t size() const { return text_.size(); }
    auto begin() const { return text_.begin(); }
    auto end() const { return text_.end(); }
    const char* c_str() const { return text_->c_str(); }
    std::size_t find(auto part) const { return text_->find(part); }
    bool starts_with(std::string_view part) const { return text_->starts_with(part); }
    bool ends_with(std::string_view part) const { return text_->ends_with(part); }
    std::string substr(std::size_t from, std::size_t n = std::string::npos) const {
        return text_->substr(from, n);
    }
    void clear() { text_ = {}; }

    // Whether it is the very same object, not only an equal one.
    bool is_same(const SharedText& other) const { return text_.is_same(other.text_); }
    bool is_alone() const { return text_.is_alone(); }

    friend bool operator==(const SharedText& a, const SharedText& b) { return a.text_ == b.text_; }
    friend bool operator==(const SharedText& a, const std::string& b) { return *a == b; }
    friend bool operator==(const SharedText& a, std::string_view b) { return *a == b; }
    friend bool operator==(const SharedText& a, const char* b) { return *a == b; }
    friend std::strong_ordering operator<=>(const SharedText& a, const SharedText& b) {
        return a.is_same(b) ? std::strong_ordering::equal : *a <=> *b;
    }
    friend std::strong_ordering operator<=>(const SharedText& a, const std::string& b) {
        return *a <=> b;
    }
    friend std::strong_ordering operator<=>(const SharedText& a, std::string_view b) {
        return std::string_view(*a) <=> b;
    }

    friend std::string operator+(std::string a, const SharedText& b) { return std::move(a) + *b; }
    friend std::string operator+(const SharedText& a, std::string_view b) {
        return std::string(*a).append(b);
    }
    template <class Stream>
    friend Stream& operator<<(Stream& out, const SharedText& text) {
        out << *text;
        return out;
    }

private:
    Shared<std::string> text_;
};
// NOLINTEND(google-explicit-constructor)

}  // namespace berth
