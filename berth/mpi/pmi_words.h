// PmiWords: the commands that a task of MPI sends its launcher, cut out of its bytes.
//
// PMI-1 has lines: "cmd=put kvsname=7.0 key=a value=b". PMI-2 begins with one such line too, and
// from then on sends six characters of length and so many bytes: "cmd=kvs-put;key=a;value=b;",
// where ";;" stands for a ";" within a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/result.h"

namespace berth {

class PmiWords {
public:
    // A word without "=" has no value.
    static PmiWords of_line(std::string_view line);
    static PmiWords of_message(std::string_view message);

    std::optional<std::string_view> get(std::string_view key) const;  // The first of this key.
    std::string_view text(std::string_view key) const;                // Empty: there is none.
    std::optional<std::int64_t> number(std::string_view key) const;
    const std::vector<std::pair<std::string, std::string>>& all() const { return all_; }

private:
    std::vector<std::pair<std::string, std::string>> all_;
};

// "     9cmd=x;rc=0;" -> with its length before it, as PMI-2 has it; and ";" doubled in a value.
std::string pmi2_message(std::string_view text);
std::string pmi2_value(std::string_view value);

// Takes bytes as they come and gives whole commands.
class PmiReader {
public:
    void add(std::string_view bytes) { buffer_ += bytes; }
    // nullopt: more bytes are needed. An error is for good: this is no PMI.
    Result<std::optional<PmiWords>> next();
    void use_messages() { messages_ = true; }  // PMI-2 from here on.

private:
    Result<std::optional<PmiWords>> next_line();
    Result<std::optional<PmiWords>> next_message();

    std::string buffer_;
    bool messages_ = false;
};

}  // namespace berth
