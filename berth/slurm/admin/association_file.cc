#include "berth/slurm/admin/association_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/limit_keys.h"

namespace berth::slurm {
namespace {

constexpr std::string_view kHeading =
    "# The account tree, for `sacctmgr load`. Options after a \":\" may be left out and may come "
    "in\n"
    "# any order; a parent must have been named as an account, above, before lines are under it:\n"
    "#   Cluster - 'name':QOS='normal'\n"
    "#   Parent - 'root'\n"
    "#   Account - 'cs':Description='Computer Science':Fairshare=399:MaxJobs=4:GrpTRES=gres/gpu=8\n"
    "#   Parent - 'cs'\n"
    "#   User - 'lipari':DefaultAccount='cs':MaxJobs=3:MaxWallDurationPerJob=60\n";

// Limits of an association by the names that Slurm writes, in its order.
constexpr auto kLimitNames = std::to_array<std::string_view>(
    {"GrpTRESMins", "GrpTRES", "GrpJobs", "GrpSubmitJobs", "GrpWall", "MaxTRESMinsPerJob",
     "MaxTRESPerJob", "MaxTRESPerNode", "MaxJobs", "MaxSubmitJobs", "MaxWallDurationPerJob"});

// ---- reading

// Slurm writes the apostrophe of a description as it is ('O'Brien'), so a quote ends only before
// what may follow a value.
bool ends_quote(std::string_view text, std::size_t at, char quote) {
    if (text[at] != quote) return false;
    const std::string_view rest = trim(text.substr(at + 1));
    return rest.empty() || rest.front() == ':' || rest.front() == ',';
}

// The first `separator` outside quotes, from `from` on; npos: none.
std::size_t find_unquoted(std::string_view text, char separator, std::size_t from) {
    char quote = 0;
    for (std::size_t i = from; i < text.size(); ++i) {
        if (quote != 0) {
            if (ends_quote(text, i, quote)) quote = 0;
        } else if (text[i] == '\'' || text[i] == '"') {
            quote = text[i];
        } else if (text[i] == separator) {
            return i;
        }
    }
    return std::string_view::npos;
}

// nullopt: a quote is not closed.
std::optional<std::string> without_quotes(std::string_view text) {
    text = trim(text);
    std::string plain;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quote == 0 && (text[i] == '\'' || text[i] == '"')) {
            quote = text[i];
        } else if (quote != 0 && ends_quote(text, i, quote)) {
            quote = 0;
        } else {
            plain += text[i];
        }
    }
    return quote == 0 ? std::optional(plain) : std::nullopt;
}

// Slurm writes "GrpTRES=cpu=4,gres/gpu:a100=2" without quotes: this ":" ends no option.
bool ends_in_gres_name(std::string_view text) {
    const std::size_t slash = text.rfind("gres/");
    return slash != std::string_view::npos &&
           std::ranges::all_of(text.substr(slash + 5), [](unsigned char letter) {
               return std::isalnum(letter) != 0 || letter == '_';
           });
}

std::vector<std::string_view> options_in(std::string_view text) {
    std::vector<std::string_view> all;
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = find_unquoted(text, ':', begin);
        while (end != std::string_view::npos && ends_in_gres_name(text.substr(begin, end - begin)))
            end = find_unquoted(text, ':', end + 1);
        if (end == std::string_view::npos) end = text.size();
        all.push_back(trim(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return all;
}

std::optional<AssociationLineKind> kind_of(std::string_view word) {
    if (iequals(word, "Cluster") || iequals(word, "Machine")) return AssociationLineKind::cluster;
    if (iequals(word, "Parent")) return AssociationLineKind::parent;
    if (iequals(word, "Account") || iequals(word, "Project")) return AssociationLineKind::account;
    if (iequals(word, "User")) return AssociationLineKind::user;
    return std::nullopt;
}

Error misformatted(std::size_t number, std::string_view line) {
    return invalid_argument(" Misformatted line(" + std::to_string(number) +
                            "): " + std::string(line) +
                            "\n A line reads Cluster, Parent, Account or User, then - 'NAME', then "
                            "options as :KEY=VALUE, and each quote is closed");
}

Result<AssociationLine> read_line(std::size_t number, std::string_view line) {
    const std::size_t dash = line.find(" - ");
    const auto kind =
        dash == std::string_view::npos ? std::nullopt : kind_of(trim(line.substr(0, dash)));
    if (!kind) return misformatted(number, line);
    const std::vector<std::string_view> parts = options_in(line.substr(dash + 3));
    AssociationLine read{.number = number, .kind = *kind};
    if (!parts.empty()) read.written = without_quotes(parts.front()).value_or("");
    read.name = to_lower(read.written);
    if (read.name.empty()) return misformatted(number, line);
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::size_t equals = parts[i].find('=');
        if (equals == std::string_view::npos || equals == 0) return misformatted(number, line);
        std::optional<std::string> value = without_quotes(parts[i].substr(equals + 1));
        if (!value) return misformatted(number, line);
        read.options.push_back({.name = to_lower(trim(parts[i].substr(0, equals))),
                                .value = *std::move(value),
                                .word = std::string(parts[i])});
    }
    return read;
}

// ---- writing

// A quote of the other kind where the text has one; a text with both loses the double ones.
std::string in_quotes(const std::string& text) {
    if (text.find('\'') == std::string::npos) return "'" + text + "'";
    std::string plain = text;
    std::erase(plain, '"');
    return '"' + plain + '"';
}

std::string limit_value(const Limits& limits, const LimitKey& key) {
    if (key.time == nullptr) return limit_text(limits, key);
    const auto& time = limits.*key.time;
    return time ? std::to_string(*time / std::chrono::minutes(1)) : std::string();
}

// What accounts and users in accounts have in common.
std::string options_text(const api::AssociationRow& row) {
    std::string text;
    if (!row.default_qos.empty()) text += ":DefaultQOS=" + in_quotes(row.default_qos);
    text += ":Fairshare=" + (row.shares_of_parent ? "parent" : std::to_string(row.shares));
    for (const std::string_view name : kLimitNames) {
        const std::string value = limit_value(row.limits, *find_limit_key(name, kOfAssociation));
        if (value.empty()) continue;
        const bool needs_quotes = value.find(':') != std::string::npos;
        text += ":" + std::string(name) + "=" + (needs_quotes ? in_quotes(value) : value);
    }
    if (row.priority) text += ":Priority=" + std::to_string(*row.priority);
    if (!row.qos.empty()) text += ":QOS=" + in_quotes(join(row.qos, ","));
    return text;
}

std::string account_line(const api::AssociationRow& row) {
    const auto or_name = [&](const std::string& text) { return text.empty() ? row.account : text; };
    return "Account - " + in_quotes(row.account) +
           ":Description=" + in_quotes(or_name(row.description)) +
           ":Organization=" + in_quotes(or_name(row.organization)) + options_text(row) + "\n";
}

std::string user_line(const AccountingView& view, const api::AssociationRow& row) {
    std::string text = "User - " + in_quotes(row.user);
    for (const api::AssociationRow& one : view.associations) {
        if (one.user == row.user && one.is_default)
            text += ":DefaultAccount=" + in_quotes(one.account);
    }
    if (!row.admin_level.empty() && row.admin_level != "None")
        text += ":AdminLevel=" + in_quotes(row.admin_level);
    std::vector<std::string> coordinated;
    for (const api::AssociationRow& one : view.associations) {
        if (std::ranges::find(one.coordinators, row.user) != one.coordinators.end())
            coordinated.push_back(one.account);
    }
    if (!coordinated.empty()) text += ":Coordinator=" + in_quotes(join(coordinated, ","));
    return text + options_text(row) + "\n";
}

}  // namespace

Result<std::vector<AssociationLine>> read_association_file(std::string_view text) {
    std::vector<AssociationLine> lines;
    std::size_t number = 0;
    for (const std::string_view each : split(text, '\n')) {
        ++number;
        const std::string_view line = trim(each);
        if (line.empty() || line.front() == '#') continue;
        BERTH_TRY(AssociationLine read, read_line(number, line));
        lines.push_back(std::move(read));
    }
    return lines;
}

std::string association_file(const AccountingView& view) {
    std::string text =
        std::string(kHeading) + "Cluster - " + in_quotes(view.cluster) + ":Fairshare=1\n";
    for (const api::AssociationRow& above : view.associations) {
        if (!above.user.empty()) continue;
        std::string users, accounts;
        for (const api::AssociationRow& row : view.associations) {
            if (row.user.empty()) {
                if (row.parent == above.account && row.account != above.account)
                    accounts += account_line(row);
            } else if (row.account == above.account) {
                users += user_line(view, row);
            }
        }
        if (users.empty() && accounts.empty()) continue;
        text += "Parent - " + in_quotes(above.account) + "\n";
        text += users;
        text += accounts;
    }
    return text;
}

}  // namespace berth::slurm
