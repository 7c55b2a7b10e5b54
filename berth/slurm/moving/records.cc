#include "berth/slurm/moving/records.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth::slurm {
namespace {

bool is_in(std::span<const std::string_view> keys, std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
}

// The known key that the word begins with, before its "="; empty: none.
std::string_view key_of(std::string_view word, const RecordForm& form) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return {};
    const std::string_view key = word.substr(0, equals);
    return is_in(form.keys, key) || is_in(form.lists, key) ? key : std::string_view();
}

void add_word(ShownRecord& record, std::string_view word, bool begins_line,
              const RecordForm& form) {
    const std::string_view key = key_of(word, form);
    if (key.empty()) {
        if (begins_line || record.fields.empty()) {
            record.wrong = "a value of it has a line end, or a key that is not known";
        } else {
            record.fields.back().value.append(" ").append(word);
        }
        return;
    }
    const bool is_list = is_in(form.lists, key);
    if (record.has(key)) {
        if (is_list) return;  // That it is there is all that is asked of it.
        record.wrong =
            std::string(key) + " stands in it twice: a name or a comment looks like another key";
        return;
    }
    record.fields.push_back({std::string(key), std::string(word.substr(key.size() + 1))});
}

// After the first thing that is wrong, nothing more is read.
void add_line(ShownRecord& record, std::string_view line, const RecordForm& form) {
    bool begins_line = true;
    for (const std::string_view word : split(line, ' ')) {
        if (!record.wrong.empty()) return;
        add_word(record, word, begins_line, form);
        begins_line = false;
    }
    if (line.find('\0') != std::string_view::npos) record.wrong = "it has a zero byte";
    for (ShownRecord::Field& field : record.fields) field.value = std::string(trim(field.value));
}

bool says_none(std::string_view line) {
    return line.starts_with("No ") && line.ends_with(" in the system");
}

}  // namespace

bool ShownRecord::has(std::string_view key) const {
    return std::ranges::find(fields, key, &Field::key) != fields.end();
}

std::string ShownRecord::value(std::string_view key) const {
    const auto found = std::ranges::find(fields, key, &Field::key);
    if (found == fields.end()) return {};
    const bool is_none = found->value == "(null)" || found->value == "N/A" || found->value == "n/a";
    return is_none ? std::string() : found->value;
}

std::vector<ShownRecord> read_records(std::string_view text, const RecordForm& form,
                                      Remarks& remarks) {
    std::vector<ShownRecord> all;
    std::size_t number = 0;
    for (const std::string_view raw : split(text, '\n')) {
        ++number;
        const std::string_view line = trim(raw);
        if (line.empty() || says_none(line)) continue;
        const bool is_indented = raw.front() == ' ' || raw.front() == '\t';
        const bool begins = !is_indented && line.starts_with(form.first) &&
                            line.substr(form.first.size()).starts_with('=');
        if (begins) {
            all.push_back({.line = number, .fields = {}, .wrong = {}});
        } else if (all.empty() || !is_indented) {
            remarks.push_back(
                {RemarkKind::refused, number,
                 "a record begins with " + std::string(form.first) + "=, and this line does not"});
            if (!all.empty()) all.back().wrong = "a line that belongs to no record follows it";
            continue;
        }
        add_line(all.back(), line, form);
    }
    return all;
}

}  // namespace berth::slurm
