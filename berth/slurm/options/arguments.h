// Arguments: getopt_long over an Invocation, so that all commands follow the same rules:
// abbreviations, "-N2", "--nodes=2", "--" and glibc's own messages for unknown options.
#pragma once

#include <getopt.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/result.h"
#include "berth/client/endpoint.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

struct Argument {
    int letter = 0;
    const char* value = nullptr;  // nullptr: none.
};

// Only one at a time: getopt keeps its position in globals.
class ArgumentReader {
public:
    // REQUIRES: `options` ends in a row of nulls. `stop_at_operand`: what follows the first operand
    // belongs to the command to run.
    ArgumentReader(const Invocation& call, std::span<const option> options, std::string letters,
                   bool stop_at_operand = false);

    // The next option; nullopt at the end, or after an invalid one (reported on streams.err).
    std::optional<Argument> next(Streams& streams);
    bool failed() const { return failed_; }

    // How often -v was given; next() does not return it. It makes next() tell at the end, on
    // streams.err, which options are in force; not where the options end at an operand, for then
    // the caller knows more, and says it.
    int verbosity() const { return verbosity_; }
    void add_verbosity() { ++verbosity_; }  // For an input variable.
    // Tells it only if -v was given so often: clients of `scancel -v` read the first line it
    // prints.
    void tell_from(int verbosity) { tells_from_ = verbosity; }
    // Of an option that was not on the command line but is in force likewise.
    void note(const std::string& option_name, const char* value);

    // The next word, if it is no option: "squeue -j 12", though -j may stand alone. To be asked
    // right behind an option without a value.
    const char* take_word();

    // What is no option, once next() has come to its end.
    std::vector<std::string> operands() const;

private:
    std::optional<Argument> next_of_all(Streams& streams);
    std::vector<const option*> meant_by(std::string_view option_name) const;
    std::string what_is_wrong_with(const std::string& word) const;
    std::string advice_on_word(const std::string& option_name) const;

    std::vector<std::string> words_;
    std::vector<char*> argv_;
    std::vector<option> options_;
    std::string letters_;
    bool failed_ = false, tells_ = true;
    bool advises_ = false;  // Advice is on.
    int verbosity_ = 0, tells_from_ = 1;
    std::vector<std::pair<std::string, std::string>> defined_;
};

// As Slurm's commands do with -v: "squeue: user                : ann".
void print_defined(const std::string& command,
                   const std::vector<std::pair<std::string, std::string>>& defined,
                   std::ostream& err);

// The error for a known option of Slurm that is not built; it names the option.
Status not_supported(std::span<const option> options, int letter);

std::string user_name_of(std::uint32_t uid);  // The number itself if there is no name.

// Of a name, or of a number that is the uid itself; nullopt: there is no such user here.
std::optional<std::uint32_t> uid_of_user(const std::string& name_or_uid);

// A hostlist, or an error in Slurm's words.
Result<std::vector<std::string>> expand_node_argument(const std::string& text);

// The indices of "0-5,7%2"; none for an empty text.
std::vector<std::uint32_t> tasks_of(const std::string& array_pending);

// BERTH_SOCKET of the invocation, or where the controller is found.
Endpoint endpoint_of(const Invocation& call);

}  // namespace berth::slurm
