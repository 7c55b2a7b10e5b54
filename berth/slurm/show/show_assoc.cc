// scontrol show assoc_mgr: users, associations and QOS with their limits, and how much of each is
// used now.
#include <pwd.h>

#include <algorithm>
#include <map>
#include <set>

#include "berth/base/text.h"
#include "berth/model/limit_keys.h"
#include "berth/slurm/show/scontrol_show.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

using Counts = std::map<std::string, std::int64_t>;  // By TRES.

// What runs and waits of one association, account or QOS.
struct LimitsUsed {
    std::int64_t jobs = 0, submitted = 0;
    Counts tres;
};

std::int64_t count_in(const Counts& counts, const std::string& tres) {
    const auto found = counts.find(tres);
    return found == counts.end() ? 0 : found->second;
}

std::string two_places(std::int64_t billionths, std::int64_t unit = 1'000'000'000) {
    const std::int64_t hundredths = (billionths * 100 + unit / 2) / unit;
    const std::string rest = std::to_string(100 + hundredths % 100).substr(1);
    return std::to_string(hundredths / 100) + "." + rest;
}

std::string with_uid(const std::string& user) {
    const passwd* const known = user.empty() ? nullptr : ::getpwnam(user.c_str());
    if (user.empty()) return "";
    return user + "(" + (known == nullptr ? "4294967294" : std::to_string(known->pw_uid)) + ")";
}

std::string or_none(const std::optional<std::uint32_t>& limit, std::int64_t used) {
    return (limit ? std::to_string(*limit) : "N") + "(" + std::to_string(used) + ")";
}

class AssocMgr {
public:
    AssocMgr(std::vector<api::AssociationRow> associations, std::vector<api::QosRow> qos,
             std::vector<api::ShareRow> shares, const std::vector<api::JobRow>& jobs,
             std::string cluster, std::ostream& out)
        : associations_(std::move(associations)),
          qos_(std::move(qos)),
          shares_(std::move(shares)),
          cluster_(std::move(cluster)),
          out_(out) {
        for (const char* const tres : {"cpu", "mem", "node", "billing", "gres/gpu"})
            kinds_.emplace_back(tres);
        for (const api::JobRow& job : jobs) add(job);
    }

    void print_users(const std::set<std::string>& wanted) {
        out_ << "\nUser Records\n\n";
        std::set<std::string> seen;
        for (const api::AssociationRow& one : associations_) {
            if (one.user.empty() || !is_wanted(wanted, one.user)) continue;
            if (!seen.insert(one.user).second) continue;
            const bool plain = one.admin_level == "None" || one.admin_level.empty();
            out_ << "UserName=" << with_uid(one.user) << " DefAccount=" << default_of(one.user)
                 << " DefWckey=(null) AdminLevel=" << (plain ? "Not Set" : one.admin_level) << '\n';
        }
    }

    void print_associations(const std::set<std::string>& users,
                            const std::set<std::string>& accounts) {
        out_ << "\nAssociation Records\n\n";
        for (std::size_t i = 0; i < associations_.size(); ++i) {
            const api::AssociationRow& one = associations_[i];
            if (!is_wanted(accounts, one.account)) continue;
            if (!one.user.empty() && !is_wanted(users, one.user)) continue;
            print_association(one, i + 1);
        }
    }

    void print_qos(const std::set<std::string>& wanted) {
        out_ << "\nQOS Records\n\n";
        for (std::size_t i = 0; i < qos_.size(); ++i) {
            const api::QosRow& one = qos_[i];
            if (!is_wanted(wanted, one.name)) continue;
            const LimitsUsed& used = by_qos_[one.name];
            out_ << "QOS=" << one.name << "(" << i + 1 << ")\n";
            print_group(one.limits, used);
            print_each(one.limits);
            const std::int64_t wall = one.max_wall ? one.max_wall->count() / 60'000 : 0;
            out_ << "    MaxWallPJ=" << (one.max_wall ? std::to_string(wall) : "") << '\n'
                 << "    PreemptMode=" << (one.preempt_mode.empty() ? "OFF" : one.preempt_mode)
                 << "\n    Priority=" << one.priority << '\n';
        }
    }

private:
    static bool is_wanted(const std::set<std::string>& wanted, const std::string& name) {
        return wanted.empty() || wanted.contains(name);
    }

    void add(const api::JobRow& job) {
        const bool runs =
            job.state == "RUNNING" || job.state == "SUSPENDED" || job.state == "CONFIGURING";
        if (!runs && job.state != "PENDING") return;
        std::vector<LimitsUsed*> all = {&by_association_[{job.account, job.owner.user}],
                                        &by_qos_[job.qos]};
        for (std::string at = job.account; !at.empty(); at = parent_of(at)) {
            all.push_back(&by_association_[{at, ""}]);
            if (at == "root") break;
        }
        const auto held = parse_tres_counts(runs ? job.allocated_tres : "");
        for (LimitsUsed* const used : all) {
            used->submitted += 1;
            used->jobs += runs ? 1 : 0;
            if (!held) continue;
            for (const auto& [tres, count] : *held) used->tres[tres] += count;
        }
    }

    std::string parent_of(const std::string& account) const {
        const auto found = std::ranges::find_if(associations_, [&](const auto& one) {
            return one.user.empty() && one.account == account;
        });
        return found == associations_.end() ? std::string("root") : found->parent;
    }

    std::string default_of(const std::string& user) const {
        std::string account;
        for (const api::AssociationRow& one : associations_) {
            if (one.user == user && (account.empty() || one.is_default)) account = one.account;
        }
        return account;
    }

    void print_association(const api::AssociationRow& one, std::size_t id) {
        const LimitsUsed& used = by_association_[{one.account, one.user}];
        out_ << "ClusterName=" << cluster_ << " Account=" << one.account
             << " UserName=" << with_uid(one.user)
             << " Partition= Priority=" << one.priority.value_or(0) << " ID=" << id << '\n';
        print_shares(one);
        out_ << "    ParentAccount=" << (one.user.empty() ? one.parent : "")
             << " DefAssoc=" << (one.is_default ? "Yes" : "No") << '\n';
        print_group(one.limits, used, share_of(one));
        const auto max_jobs = one.limits.max_jobs;
        const auto max_submit = one.limits.max_submitted;
        out_ << "    MaxJobs=" << (max_jobs ? or_none(max_jobs, used.jobs) : "")
             << " MaxSubmitJobs=" << (max_submit ? or_none(max_submit, used.submitted) : "")
             << " MaxWallPJ="
             << (one.limits.max_wall ? std::to_string(one.limits.max_wall->count() / 60'000) : "")
             << '\n';
        print_each(one.limits);
    }

    const api::ShareRow* share_of(const api::AssociationRow& one) const {
        const auto found = std::ranges::find_if(shares_, [&](const api::ShareRow& row) {
            return row.account == one.account && row.user == one.user;
        });
        return found == shares_.end() ? nullptr : &*found;
    }

    void print_shares(const api::AssociationRow& one) {
        const api::ShareRow* const found = share_of(one);
        if (found == nullptr) return;
        out_ << "    SharesRaw/Norm/Factor="
             << (one.shares_of_parent ? "parent" : std::to_string(one.shares)) << "/"
             << two_places(found->norm_shares) << "/" << two_places(found->fair_share.value_or(0))
             << '\n'
             << "    UsageRaw/Norm/Efctv=" << found->raw_usage << ".00/"
             << two_places(found->norm_usage) << "/" << two_places(found->effective_usage) << '\n';
    }

    // `share`: of an association.
    void print_group(const Limits& limits, const LimitsUsed& used,
                     const api::ShareRow* share = nullptr) {
        out_ << "    GrpJobs=" << or_none(limits.group_jobs, used.jobs)
             << " GrpSubmitJobs=" << or_none(limits.group_submitted, used.submitted);
        if (share != nullptr) {
            const auto& wall = limits.group_wall;
            out_ << " GrpWall=" << (wall ? std::to_string(*wall / std::chrono::minutes(1)) : "N")
                 << "(" << two_places(share->wall_seconds, 60) << ")";
        }
        out_ << '\n';
        print_tres("GrpTRES", limits.group_tres, used.tres);
        if (share != nullptr) {
            print_tres("GrpTRESMins", limits.group_tres_minutes,
                       {share->tres_minutes.begin(), share->tres_minutes.end()});
        }
    }

    // "GrpTRES=cpu=8(2),mem=N(0)": the limit, or N for none, and what is used of it.
    void print_tres(std::string_view name, const TresLimits& limits, const Counts& used) {
        out_ << "    " << name << "=";
        std::vector<std::string> kinds = kinds_;
        for (const auto& [tres, limit] : limits) {
            if (std::ranges::find(kinds, tres) == kinds.end()) kinds.push_back(tres);
        }
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const auto limit = std::ranges::find_if(
                limits, [&](const auto& entry) { return entry.first == kinds[i]; });
            const bool has = limit != limits.end();
            out_ << (i == 0 ? "" : ",") << kinds[i] << "="
                 << (has ? std::to_string(limit->second) : "N") << "(" << count_in(used, kinds[i])
                 << ")";
        }
        out_ << '\n';
    }

    // What one job may have.
    void print_each(const Limits& limits) {
        out_ << "    MaxTRESPJ=" << to_text(limits.max_tres_per_job) << '\n'
             << "    MaxTRESPN=" << to_text(limits.max_tres_per_node) << '\n'
             << "    MaxTRESMinsPJ=" << to_text(limits.max_tres_minutes_per_job) << '\n';
    }

    std::vector<api::AssociationRow> associations_;
    std::vector<api::QosRow> qos_;
    std::vector<api::ShareRow> shares_;
    std::string cluster_;
    std::ostream& out_;
    std::vector<std::string> kinds_;
    std::map<std::pair<std::string, std::string>, LimitsUsed> by_association_;
    std::map<std::string, LimitsUsed> by_qos_;
};

struct Wanted {
    std::set<std::string> users, accounts, qos, flags;
    std::string wrong;
};

Wanted wanted_of(const std::vector<std::string>& words) {
    Wanted wanted;
    for (std::size_t i = 2; i < words.size(); ++i) {
        const std::size_t equals = words[i].find('=');
        const std::string key = to_lower(words[i].substr(0, equals));
        std::set<std::string>* names = nullptr;
        if (key.starts_with("user")) names = &wanted.users;
        if (key.starts_with("acc")) names = &wanted.accounts;
        if (key.starts_with("qos")) names = &wanted.qos;
        if (key.starts_with("flag")) names = &wanted.flags;
        if (names == nullptr || equals == std::string::npos) {
            wanted.wrong = words[i];
            return wanted;
        }
        for (const auto name : split(std::string_view(words[i]).substr(equals + 1), ','))
            names->insert(names == &wanted.flags ? to_lower(trim(name)) : std::string(trim(name)));
    }
    return wanted;
}

}  // namespace

int show_assoc_mgr(Client& client, const std::vector<std::string>& words, Streams& streams) {
    const Wanted wanted = wanted_of(words);
    if (!wanted.wrong.empty()) {
        streams.err << "invalid entity: " << wanted.wrong << " for keyword:show assoc_mgr\n";
        return 1;
    }
    const auto associations = client.accounts().associations();
    const auto qos = client.accounts().qos();
    const auto shares = client.accounts().shares();
    const auto jobs =
        client.jobs({.fields = {"account", "owner", "qos", "state", "allocated_tres"}});
    const auto ping = client.ping();
    if (!associations || !qos || !shares || !jobs || !ping) {
        const api::Problem& problem = !associations ? associations.problem()
                                      : !qos        ? qos.problem()
                                      : !shares     ? shares.problem()
                                      : !jobs       ? jobs.problem()
                                                    : ping.problem();
        streams.err << "slurm_load_assoc_mgr_info error: " << slurm_message(problem) << '\n';
        return 1;
    }
    AssocMgr all(*associations, *qos, *shares, *jobs, ping->cluster, streams.out);
    const auto shows = [&](const char* flag) {
        return wanted.flags.empty() || wanted.flags.contains(flag);
    };
    streams.out << "Current Association Manager state\n";
    if (shows("users")) all.print_users(wanted.users);
    if (shows("assoc")) all.print_associations(wanted.users, wanted.accounts);
    if (shows("qos")) all.print_qos(wanted.qos);
    return 0;
}

}  // namespace berth::slurm
