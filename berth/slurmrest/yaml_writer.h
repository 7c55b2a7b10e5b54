// YamlWriter: appends YAML in block form to a string, piece by piece, for --yaml. A well-kept
// library (yaml-cpp) would make every command start slower for a form that few ask for. Texts are
// written as JSON strings, which YAML reads the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::slurmrest {

// The text may be taken out of `out` at any moment; the writer goes on behind it.
class YamlWriter {
public:
    explicit YamlWriter(std::string& out) : out_(out) {}

    void begin_object() { begin(false); }
    void end_object() { end("{}"); }
    void begin_array() { begin(true); }
    void end_array() { end("[]"); }
    void key(std::string_view name);
    void text(std::string_view text);
    void number(std::int64_t number);
    void decimal(std::string_view digits) { scalar(digits); }
    void boolean(bool truth);

private:
    struct Level {
        bool is_list = false, is_empty = true;
        std::string lead;  // What comes before it on its line: "  name:", "  -", or nothing.
    };
    void begin(bool is_list);
    void end(std::string_view empty);
    std::string item_lead();  // What an item of the innermost level begins with.
    void scalar(std::string_view text);

    std::string& out_;
    std::vector<Level> levels_;
    std::string lead_;  // Of the next value of an object.
};

}  // namespace berth::slurmrest
