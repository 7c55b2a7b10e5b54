#include "berth/slurm/options/foreign_directives.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth::slurm {
namespace {

using Words = std::vector<std::string>;
using Meaning = std::optional<Words>;  // nullopt: sbatch has no such option.

// One letter of qsub or bsub. `option_name`: of sbatch; empty: it has no meaning here.
struct Letter {
    char letter;
    bool takes_value;
    const char* option_name = "";
    std::function<Meaning(const std::string&)> meaning = {};
};

Words option_words(const char* option_name, const std::string& value) {
    return {"--" + std::string(option_name) + "=" + value};
}

// "abe": when the job is aborted, begins or ends.
Meaning mail_types(const std::string& letters) {
    std::string types;
    for (const char letter : letters) {
        const char* const type = letter == 'a'   ? "FAIL"
                                 : letter == 'b' ? "BEGIN"
                                 : letter == 'e' ? "END"
                                 : letter == 'n' ? "NONE"
                                                 : nullptr;
        if (type == nullptr) return std::nullopt;
        types += (types.empty() ? "" : ",") + std::string(type);
    }
    return option_words("mail-type", types);
}

// "2:ppn=4", "4:ppn=8:gpus=1", or names: "node1+node2".
Meaning nodes_of(const std::string& spec) {
    const auto parts = split(spec, ':');
    Words words;
    const auto nodes = parse_int64(parts[0]);
    std::int64_t count = std::ranges::count(parts[0], '+') + 1;
    if (nodes.ok()) {
        count = *nodes;
        words.push_back("--nodes=" + std::string(parts[0]));
    } else {
        std::string names(parts[0]);
        for (char& c : names) c = c == '+' ? ',' : c;
        words.push_back("--nodelist=" + names);
    }
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i].starts_with("ppn=")) {
            const auto each = parse_int64(parts[i].substr(4));
            if (!each.ok() || *each < 1 || *each > 100'000 || count < 1 || count > 100'000)
                return std::nullopt;
            words.push_back("--ntasks=" + std::to_string(count * *each));
        } else if (parts[i].starts_with("gpus=")) {
            words.push_back("--gpus-per-node=" + std::string(parts[i].substr(5)));
        } else {
            return std::nullopt;
        }
    }
    return words;
}

// "walltime=1:00:00,nodes=2:ppn=4,mem=4gb"
Meaning resources(const std::string& list) {
    constexpr std::array<std::pair<std::string_view, const char*>, 8> kKeys = {
        {{"walltime", "time"},
         {"cput", "time"},
         {"mem", "mem"},
         {"pmem", "mem-per-cpu"},
         {"file", "tmp"},
         {"host", "nodelist"},
         {"ngpus", "gpus-per-node"},
         {"nice", "nice"}}};
    Words words;
    for (const auto item : split(list, ',')) {
        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos) return std::nullopt;
        const auto key = item.substr(0, equals);
        const std::string value(item.substr(equals + 1));
        if (key == "nodes") {
            const Meaning nodes = nodes_of(value);
            if (!nodes) return std::nullopt;
            words.insert(words.end(), nodes->begin(), nodes->end());
            continue;
        }
        const auto known = std::ranges::find(kKeys, key, &decltype(kKeys)::value_type::first);
        if (known == kKeys.end()) return std::nullopt;
        words.push_back(option_words(known->second, value).front());
    }
    return words;
}

Meaning requeue(const std::string& value) {
    return Words{iequals(value, "n") ? "--no-requeue" : "--requeue"};
}

Meaning attributes(const std::string& value) {
    if (!value.starts_with("depend=")) return std::nullopt;
    return option_words("dependency", value.substr(7));
}

// LSF has hours and minutes where Slurm has minutes and seconds.
Meaning limit_of(const std::string& value) {
    const bool has_hours = std::ranges::count(value, ':') == 1;
    return option_words("time", has_hours ? value + ":00" : value);
}

const std::array<Letter, 22>& pbs_letters() {
    static const std::array<Letter, 22> kLetters = {{{'a', true, "begin"},
                                                     {'A', true, "account"},
                                                     {'c', true},
                                                     {'C', true},
                                                     {'d', true, "chdir"},
                                                     {'e', true, "error"},
                                                     {'h', false, "hold"},
                                                     {'j', true},
                                                     {'J', true, "array"},
                                                     {'k', true},
                                                     {'l', true, "", resources},
                                                     {'m', true, "", mail_types},
                                                     {'M', true, "mail-user"},
                                                     {'N', true, "job-name"},
                                                     {'o', true, "output"},
                                                     {'q', true, "partition"},
                                                     {'r', true, "", requeue},
                                                     {'S', true},
                                                     {'t', true, "array"},
                                                     {'v', true, "export"},
                                                     {'V', false},
                                                     {'W', true, "", attributes}}};
    return kLetters;
}

const std::array<Letter, 11>& bsub_letters() {
    static const std::array<Letter, 11> kLetters = {{{'c', true, "", limit_of},
                                                     {'e', true, "error"},
                                                     {'i', true, "input"},
                                                     {'J', true, "job-name"},
                                                     {'m', true, "nodelist"},
                                                     {'M', true, "mem-per-cpu"},
                                                     {'n', true, "ntasks"},
                                                     {'o', true, "output"},
                                                     {'q', true, "partition"},
                                                     {'W', true, "", limit_of},
                                                     {'x', false, "exclusive"}}};
    return kLetters;
}

Error refused(std::string_view mark, const Directive& directive, const std::string& word) {
    return invalid_argument(std::string(mark) + " line " + std::to_string(directive.line) + ": " +
                            word +
                            " has no counterpart; use an #SBATCH line, or --ignore-pbs to leave "
                            "all #PBS and #BSUB lines out");
}

Result<Directive> translated(std::string_view mark, std::span<const Letter> letters,
                             const Directive& directive) {
    Directive result{.line = directive.line, .words = {}, .unmatched = directive.unmatched};
    const Words& words = directive.words;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string word = words[i];
        const auto known = word.size() < 2 || word[0] != '-'
                               ? letters.end()
                               : std::ranges::find(letters, word[1], &Letter::letter);
        if (known == letters.end()) return refused(mark, directive, word);
        std::string value = word.substr(2);
        if (known->takes_value && value.empty() && i + 1 < words.size()) value = words[++i];
        if (known->meaning) {
            const Meaning meaning = known->meaning(value);
            if (!meaning) return refused(mark, directive, (word + " ").append(value));
            result.words.insert(result.words.end(), meaning->begin(), meaning->end());
        } else if (*known->option_name != 0) {
            result.words.push_back(known->takes_value
                                       ? option_words(known->option_name, value).front()
                                       : "--" + std::string(known->option_name));
        }
    }
    return result;
}

}  // namespace

Result<std::vector<Directive>> foreign_directives(std::string_view script) {
    std::vector<Directive> all;
    const auto take = [&](std::string_view mark, std::span<const Letter> letters) -> Status {
        for (const Directive& directive : directives_of(script, mark)) {
            BERTH_TRY(Directive one, translated(mark, letters, directive));
            if (!one.words.empty()) all.push_back(std::move(one));
        }
        return Done{};
    };
    BERTH_CHECK(take("#PBS", pbs_letters()));
    BERTH_CHECK(take("#BSUB", bsub_letters()));
    return all;
}

}  // namespace berth::slurm
