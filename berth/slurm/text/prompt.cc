#include "berth/slurm/text/prompt.h"

#include <unistd.h>

#include <algorithm>
#include <istream>
#include <ostream>
#include <utility>

#include "berth/slurm/text/argument_text.h"

namespace berth::slurm {

std::vector<std::string> prompt_words(const std::string& line) {
    std::vector<std::string> words;
    bool in_word = false;
    char quote = 0;
    for (const char letter : line) {
        const bool blank = letter == ' ' || letter == '\t' || letter == '\r';
        if (quote == 0 && blank) {
            in_word = false;
            continue;
        }
        if (!std::exchange(in_word, true)) words.emplace_back();
        if (letter == quote) {
            quote = 0;
        } else if (quote == 0 && (letter == '"' || letter == '\'')) {
            quote = letter;
        } else {
            words.back() += letter;
        }
    }
    return words;
}

int run_prompt(const std::string& name, bool echo, Streams& streams,
               const std::function<int(const std::vector<std::string>&)>& run) {
    int code = 0;
    std::vector<std::string> last;
    std::string line;
    while (streams.out << name << ": " << std::flush && std::getline(streams.in, line)) {
        if (echo) streams.out << line << '\n' << std::flush;
        std::vector<std::string> words = prompt_words(line);
        if (words.empty()) continue;
        if (words.front() == "!!") words = last;
        if (words.empty()) continue;
        last = words;
        if (means(words.front(), "quit", 4) || means(words.front(), "exit", 2)) return code;
        code = std::max(code, run(words));
        streams.err << std::flush;
    }
    streams.out << '\n';
    return code;
}

int run_prompt(const std::string& name, Streams& streams,
               const std::function<int(const std::vector<std::string>&)>& run) {
    return run_prompt(name, ::isatty(STDIN_FILENO) == 0, streams, run);
}

}  // namespace berth::slurm
