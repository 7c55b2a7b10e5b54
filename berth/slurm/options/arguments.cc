#include "berth/slurm/options/arguments.h"

#include <pwd.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/slurm/options/advice.h"
#include "berth/slurm/options/other_options.h"

namespace berth::slurm {

ArgumentReader::ArgumentReader(const Invocation& call, std::span<const option> options,
                               std::string letters, bool stop_at_operand)
    : options_(options.begin(), options.end()), tells_(!stop_at_operand) {
    letters_ = (stop_at_operand ? "+" : "") + std::move(letters);
    const bool has_verbose = std::ranges::any_of(options, [](const option& one) {
        return one.name != nullptr && std::string_view(one.name) == "verbose";
    });
    if (!has_verbose) options_.insert(options_.begin(), {"verbose", no_argument, nullptr, 'v'});
    if (letters_.find('v') == std::string::npos) letters_ += 'v';
    words_.push_back(call.name);
    words_.insert(words_.end(), call.arguments.begin(), call.arguments.end());
    for (std::string& word : words_) argv_.push_back(word.data());
    argv_.push_back(nullptr);
    optind = 0;  // glibc: begin anew.
    advises_ = wants_advice(call);
}

void ArgumentReader::note(const std::string& option_name, const char* value) {
    defined_.emplace_back(option_name, value == nullptr ? "set" : value);
}

void print_defined(const std::string& command,
                   const std::vector<std::pair<std::string, std::string>>& defined,
                   std::ostream& err) {
    constexpr std::size_t kWidth = 20;
    const std::string rule(kWidth, '-');
    err << command << ": defined options\n" << command << ": " << rule << ' ' << rule << '\n';
    for (const auto& [name, value] : defined) {
        const std::string padding(kWidth - std::min(kWidth, name.size()), ' ');
        err << command << ": " << name << padding << ": " << value << '\n';
    }
    err << command << ": " << rule << ' ' << rule << '\n'
        << command << ": end of defined options\n";
}

std::optional<Argument> ArgumentReader::next(Streams& streams) {
    for (;;) {
        const auto argument = next_of_all(streams);
        if (!argument) {
            if (verbosity_ >= tells_from_ && tells_ && !failed_) {
                defined_.emplace_back("verbose", std::to_string(verbosity_));
                print_defined(words_.front(), defined_, streams.err);
            }
            return std::nullopt;
        }
        const auto row = std::ranges::find_if(options_, [&](const option& one) {
            return one.name != nullptr && one.val == argument->letter;
        });
        const std::string name =
            row == options_.end() ? std::string(1, static_cast<char>(argument->letter)) : row->name;
        if (name != "verbose" && argument->letter != 'v') {
            note(name, argument->value);
            return argument;
        }
        ++verbosity_;
    }
}

std::optional<Argument> ArgumentReader::next_of_all(Streams& streams) {
    opterr = 0;  // We say it ourselves, on the stream that we were given.
    const int at = optind;
    const int letter = getopt_long(static_cast<int>(words_.size()), argv_.data(), letters_.c_str(),
                                   options_.data(), nullptr);
    if (letter == -1) return std::nullopt;
    if (letter != '?') return Argument{letter, optarg};
    failed_ = true;
    const std::string& name = words_.front();
    const std::string word = at > 0 && static_cast<std::size_t>(at) < words_.size()
                                 ? words_[static_cast<std::size_t>(at)]
                                 : words_[static_cast<std::size_t>(std::max(optind - 1, 0))];
    if (word.starts_with("--")) {
        streams.err << name << ": " << what_is_wrong_with(word) << '\n';
        if (advises_) streams.err << advice_on_word(word.substr(2, word.find('=') - 2));
    } else {
        const bool known =
            optopt != 0 && letters_.find(static_cast<char>(optopt)) != std::string::npos;
        streams.err << name
                    << (known ? ": option requires an argument -- '" : ": invalid option -- '")
                    << static_cast<char>(optopt) << "'\n";
    }
    return std::nullopt;
}

// An exact name means one option, a prefix perhaps several.
std::vector<const option*> ArgumentReader::meant_by(std::string_view option_name) const {
    std::vector<const option*> meant;
    for (const option& one : options_) {
        if (one.name == nullptr || !std::string_view(one.name).starts_with(option_name)) continue;
        if (one.name == option_name) return {&one};
        meant.push_back(&one);
    }
    return meant;
}

// In glibc's words.
std::string ArgumentReader::what_is_wrong_with(const std::string& word) const {
    const std::size_t equals = word.find('=');
    const std::string option_name = word.substr(2, equals - 2);
    std::vector<const option*> meant = meant_by(option_name);
    if (meant.empty()) return "unrecognized option '" + word + "'";
    const bool is_one = std::ranges::all_of(meant, [&](const option* one) {
        return one->val == meant.front()->val && one->has_arg == meant.front()->has_arg;
    });
    if (!is_one) {
        std::string text = "option '" + word + "' is ambiguous; possibilities:";
        std::ranges::sort(meant, {}, [](const option* one) { return std::string_view(one->name); });
        for (const option* one : meant) text += std::string(" '--") + one->name + "'";
        return text;
    }
    const std::string full = std::string("option '--") + meant.front()->name + "'";
    if (equals != std::string::npos && meant.front()->has_arg == no_argument)
        return full + " doesn't allow an argument";
    return full + " requires an argument";
}

// On an option that does not exist, or that lacks its value.
std::string ArgumentReader::advice_on_word(const std::string& option_name) const {
    const std::vector<const option*> meant = meant_by(option_name);
    if (meant.size() == 1 && meant.front()->has_arg != no_argument)
        return what_option_takes(words_.front(), meant.front()->name);
    if (!meant.empty()) return {};
    std::vector<std::string> names;
    for (const option& one : options_) {
        if (one.name != nullptr) names.emplace_back(one.name);
    }
    return did_you_mean(words_.front(), option_name, names, "--");
}

const char* ArgumentReader::take_word() {
    const auto at = static_cast<std::size_t>(optind);
    if (at + 1 >= argv_.size() || argv_[at][0] == '-') return nullptr;
    return argv_[static_cast<std::size_t>(optind++)];
}

std::vector<std::string> ArgumentReader::operands() const {
    std::vector<std::string> rest;
    for (std::size_t i = static_cast<std::size_t>(optind); i + 1 < argv_.size(); ++i)
        rest.emplace_back(argv_[i]);
    return rest;
}

Status not_supported(std::span<const option> options, int letter) {
    const auto found = std::ranges::find_if(
        options, [&](const option& o) { return o.name != nullptr && o.val == letter; });
    if (found != options.end()) return refuse_option(found->name);
    return Error{ErrorCode::failed_precondition,
                 "-" + std::string(1, static_cast<char>(letter)) + " is not supported yet"};
}

std::string user_name_of(std::uint32_t uid) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> buffer{};
    if (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
        return entry.pw_name;
    return std::to_string(uid);
}

std::optional<std::uint32_t> uid_of_user(const std::string& name_or_uid) {
    const auto number = parse_int64(name_or_uid);
    if (number.ok() && number.value() >= 0 && number.value() < 0xffff'ffffLL)
        return static_cast<std::uint32_t>(number.value());
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 16384> buffer{};
    const int failed =
        getpwnam_r(name_or_uid.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (failed != 0 || found == nullptr) return std::nullopt;
    return entry.pw_uid;
}

Result<std::vector<std::string>> expand_node_argument(const std::string& text) {
    auto names = expand_hostlist(text);
    if (!names.ok())
        return Error{ErrorCode::invalid_argument, "Invalid node name specified: " + text};
    return names;
}

std::vector<std::uint32_t> tasks_of(const std::string& array_pending) {
    std::vector<std::uint32_t> tasks;
    const std::string list = array_pending.substr(0, array_pending.find('%'));
    if (list.empty()) return tasks;
    for (const auto part : split(list, ',')) {
        const std::size_t dash = part.find('-');
        const auto first = parse_int64(part.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : parse_int64(part.substr(dash + 1));
        if (!first.ok() || !last.ok() || last.value() - first.value() > 10'000'000) continue;
        for (std::int64_t n = first.value(); n <= last.value(); ++n)
            tasks.push_back(static_cast<std::uint32_t>(n));
    }
    return tasks;
}

// SLURM_DEBUG_FLAGS, as "Protocol,Steps". As in Slurm, most flags are for daemons and make commands
// say nothing more.
static bool tells_calls(const Invocation& call) {
    const std::string* flags = call.variable("SLURM_DEBUG_FLAGS");
    if (flags == nullptr) return false;
    return std::ranges::any_of(split(*flags, ','), [](std::string_view flag) {
        return iequals(flag, "Protocol") || iequals(flag, "Net");
    });
}

Endpoint endpoint_of(const Invocation& call) {
    const std::string* socket = call.variable("BERTH_SOCKET");
    const bool remote = call.variable("BERTH_CONTROLLER") != nullptr;
    Endpoint endpoint = socket == nullptr || remote ? find_endpoint() : Endpoint{.socket = *socket};
    if (tells_calls(call)) endpoint.traced_as = call.name;
    return endpoint;
}

}  // namespace berth::slurm
