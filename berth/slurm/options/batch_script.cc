#include "berth/slurm/options/batch_script.h"

#include "berth/base/text.h"

namespace berth::slurm {
namespace {

Error refused(const char* text) { return {ErrorCode::invalid_argument, text}; }

// Splits as a shell would, for the quoting that people use here; a `#` that begins a word ends the
// line.
Directive directive_of(std::string_view text) {
    Directive directive;
    std::vector<std::string>& words = directive.words;
    std::string word;
    bool in_word = false;
    char quote = 0;
    std::size_t begin = 0;  // Of the word.
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (!in_word) begin = i;
        if (quote != 0) {
            if (c == quote) {
                quote = 0;
            } else {
                word += c;
            }
        } else if (c == '"' || c == '\'') {
            quote = c, in_word = true;
        } else if (c == '\\' && i + 1 < text.size()) {
            word += text[++i], in_word = true;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            if (in_word) words.push_back(word);
            word.clear(), in_word = false;
        } else if (c == '#' && !in_word) {
            break;
        } else {
            word += c, in_word = true;
        }
    }
    if (in_word) words.push_back(word);
    if (quote != 0) directive.unmatched = quote + std::string(trim(text.substr(begin)));
    return directive;
}

}  // namespace

Status check_script(std::string_view script) {
    if (script.size() > kScriptBytesMax)
        return refused("Job script is too large; the most is 4 MB");
    if (script.empty()) return refused("Batch script is empty!");
    if (trim(script).empty()) return refused("Batch script contains only whitespace!");
    if (!script.starts_with("#!")) {
        return refused(
            "This does not look like a batch script.  The first\n"
            "sbatch: error: line must start with #! followed by the path to an interpreter.\n"
            "sbatch: error: For instance: #!/bin/sh");
    }
    if (script.find('\0') != std::string_view::npos) {
        return refused(
            "The Slurm controller does not allow scripts that\nsbatch: error: contain a NULL "
            "character '\\0'.");
    }
    if (script.find("\r\n") != std::string_view::npos) {
        return refused(
            "Batch script contains DOS line breaks (\\r\\n)\n"
            "sbatch: error: instead of expected UNIX line breaks (\\n).");
    }
    return Done{};
}

std::vector<Directive> directives_of(std::string_view script, std::string_view mark) {
    std::vector<Directive> directives;
    std::size_t number = 0;
    for (const std::string_view line : split(script, '\n')) {
        ++number;
        if (line.starts_with(mark)) {  // Slurm asks for no blank behind it.
            Directive directive = directive_of(line.substr(mark.size()));
            directive.line = number;
            if (!directive.words.empty()) directives.push_back(std::move(directive));
            continue;
        }
        const std::string_view text = trim(line);
        if (!text.empty() && text.front() != '#') break;  // The first command.
    }
    return directives;
}

}  // namespace berth::slurm
