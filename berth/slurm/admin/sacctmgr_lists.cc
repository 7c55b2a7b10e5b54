#include "berth/slurm/admin/sacctmgr_lists.h"

#include <pwd.h>

#include <set>

namespace berth::slurm {
namespace {

struct TresLine {
    std::string type, name;
    std::int64_t id = 0;
};

constexpr std::int64_t kFirstGres = 1001;  // Slurm's numbers of what is not built in begin here.

// As Slurm numbers them: those that it knows by itself are the first.
std::vector<TresLine> tres_lines(const std::vector<std::string>& names) {
    std::vector<TresLine> lines;
    std::int64_t built_in = 0, other = kFirstGres;
    for (const std::string& name : names) {
        const std::size_t slash = name.find('/');
        const std::string type = name.substr(0, slash);
        const bool is_other = type == "gres" || type == "license";
        lines.push_back({.type = type,
                         .name = slash == std::string::npos ? "" : name.substr(slash + 1),
                         .id = is_other ? other++ : ++built_in});
    }
    return lines;
}

struct ProblemLine {
    std::string cluster, account, user, problem;
};

std::vector<ProblemLine> problem_lines(const AccountingView& view) {
    std::set<std::string> used;  // Accounts with users or accounts in them.
    for (const api::AssociationRow& row : view.associations)
        used.insert(row.user.empty() ? row.parent : row.account);
    std::vector<ProblemLine> lines;
    for (const api::AssociationRow& row : view.associations) {
        if (row.user.empty() && row.account != "root" && !used.contains(row.account))
            lines.push_back({view.cluster, row.account, "", "Account has no users"});
    }
    std::set<std::string> seen;
    for (const api::AssociationRow& row : view.associations) {
        if (row.user.empty() || !seen.insert(row.user).second) continue;
        if (::getpwnam(row.user.c_str()) == nullptr)
            lines.push_back({view.cluster, "", row.user, "User does not have a uid"});
    }
    return lines;
}

template <class Line>
int show_lines(const std::vector<SacctmgrColumn<Line>>& columns, const std::vector<Line>& lines,
               const std::string& format, const SacctmgrOptions& options, Streams& streams) {
    SacctmgrTable<Line> table(options, streams);
    if (!table.choose(columns, format)) return 1;
    table.header();
    for (const Line& line : lines) table.line(line);
    return 0;
}

}  // namespace

int show_tres(const std::vector<std::string>& names, const std::string& format,
              const SacctmgrOptions& options, Streams& streams) {
    const std::vector<SacctmgrColumn<TresLine>> columns = {
        {"Type", "Type", 8, false, [](const TresLine& line) { return line.type; }},
        {"Name", "Name", 15, false, [](const TresLine& line) { return line.name; }},
        {"ID", "ID", 6, false, [](const TresLine& line) { return std::to_string(line.id); }},
    };
    return show_lines(columns, tres_lines(names), format.empty() ? "Type,Name,ID" : format, options,
                      streams);
}

int show_problems(const AccountingView& view, const std::string& format,
                  const SacctmgrOptions& options, Streams& streams) {
    const std::vector<SacctmgrColumn<ProblemLine>> columns = {
        {"Cluster", "Cluster", 10, false, [](const ProblemLine& line) { return line.cluster; }},
        {"Account", "Account", 10, false, [](const ProblemLine& line) { return line.account; }},
        {"User", "User", 10, false, [](const ProblemLine& line) { return line.user; }},
        {"Problem", "Problem", 40, false, [](const ProblemLine& line) { return line.problem; }},
    };
    return show_lines(columns, problem_lines(view),
                      format.empty() ? "Cluster,Account,User,Problem" : format, options, streams);
}

}  // namespace berth::slurm
