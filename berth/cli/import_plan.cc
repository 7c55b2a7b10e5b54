#include "berth/cli/import_plan.h"

#include <algorithm>
#include <set>

#include "berth/base/text.h"
#include "berth/cli/usage_import.h"
#include "berth/config/slurm_differences.h"
#include "berth/slurm/admin/association_file.h"
#include "berth/slurm/admin/sacctmgr_load.h"
#include "berth/slurm/moving/qos_table.h"

namespace berth::cli {
namespace {

using config::ConfigText;
using config::Finding;
using config::Severity;
using Key = std::pair<std::string, std::string>;  // Account, user.

// The controller takes no more than this: 2^53 seconds.
constexpr std::int64_t kUsageMax = std::int64_t{1} << 53;

template <class Spec>
api::AssociationRow row_with(const Spec& spec) {
    api::AssociationRow row{.shares = spec.shares,
                            .shares_of_parent = spec.shares_of_parent,
                            .priority = spec.priority,
                            .qos = spec.qos,
                            .default_qos = spec.default_qos};
    row.limits = spec.limits;
    return row;
}

// What a new cluster of this configuration has: its berth.yaml may have accounts and QOS.
slurm::AccountingView new_view(const ClusterSpec& spec) {
    slurm::AccountingView view{.cluster = spec.name, .host = {}, .associations = {}, .qos = {}};
    view.associations.push_back({.account = "root"});
    for (const AccountSpec& one : spec.accounts) {
        api::AssociationRow row = row_with(one);
        row.account = one.name;
        row.parent = one.parent.empty() ? "root" : one.parent;
        row.description = one.description;
        row.organization = one.organization;
        view.associations.push_back(std::move(row));
    }
    for (const AssociationSpec& one : spec.associations) {
        api::AssociationRow row = row_with(one);
        row.account = row.parent = one.account;
        row.user = one.user;
        row.is_default = one.is_default;
        view.associations.push_back(std::move(row));
    }
    for (const QosSpec& one : spec.qos) {
        if (!one.gone) view.qos.push_back({.name = one.name});
    }
    return view;
}

// The number in " Misformatted line(3): …" and " line(2) You need …"; 0: there is none.
std::size_t line_named(std::string_view error) {
    const std::size_t at = error.find("line(");
    if (at == std::string_view::npos) return 0;
    const std::string_view rest = error.substr(at + 5);
    const auto number = parse_int64(rest.substr(0, rest.find(')')));
    return number.ok() && *number > 0 ? static_cast<std::size_t>(*number) : 0;
}

// "line 3: what" of the readers of tables.
Finding table_error(const ConfigText& text, const std::string& message) {
    const std::size_t colon = message.find(": ");
    const auto number = message.starts_with("line ") && colon != std::string::npos
                            ? parse_int64(std::string_view(message).substr(5, colon - 5))
                            : Result<std::int64_t>(0);
    if (!number.ok() || *number <= 0) return {Severity::error, text.name, 0, message};
    return {Severity::error, text.name, static_cast<std::size_t>(*number),
            message.substr(colon + 2)};
}

class Planner {
public:
    Planner(const ImportTexts& texts, slurm::MovedState state, Time now)
        : texts_(texts), state_(state), now_(now) {}

    ImportPlan run(const std::optional<slurm::AccountingView>& there) {
        read_config();
        view_ = there ? *there : new_view(spec_);
        read_qos();
        read_accounts();
        read_usage_table();
        read_reservations();
        read_jobs();
        plan_.errors = static_cast<std::size_t>(
            std::ranges::count(plan_.findings, Severity::error, &Finding::severity));
        return std::move(plan_);
    }

private:
    void find(Severity severity, const ConfigText& text, std::size_t line, std::string message) {
        plan_.findings.push_back({severity, text.name, line, std::move(message)});
    }
    // Nothing of the file is taken.
    void cannot_read(Finding finding) {
        ++plan_.unread;
        plan_.findings.push_back(std::move(finding));
    }
    void find_all(const ConfigText& text, const slurm::Remarks& remarks) {
        for (const slurm::Remark& one : remarks) {
            const bool is_refused = one.kind == slurm::RemarkKind::refused;
            find(is_refused ? Severity::error : Severity::warning, text, one.line, one.message);
        }
    }

    void read_config() {
        config::Loaded loaded = config::load(texts_.config);
        plan_.findings = std::move(loaded.findings);
        for (Finding& one : config::slurm_differences(texts_.config))
            plan_.findings.push_back(std::move(one));
        spec_ = std::move(loaded.spec);
        plan_.cluster = spec_.name;
        plan_.nodes = spec_.nodes.size();
        plan_.partitions = spec_.partitions.size();
    }

    void read_qos() {
        if (!texts_.qos) return;
        Result<slurm::QosTable> table = slurm::read_qos_table(texts_.qos->text);
        if (!table.ok()) return cannot_read(table_error(*texts_.qos, table.error().message));
        find_all(*texts_.qos, table->remarks);
        for (const QosSpec& one : table->qos) {
            if (std::ranges::find(view_.qos, one.name, &api::QosRow::name) == view_.qos.end())
                view_.qos.push_back({.name = one.name});
        }
        plan_.qos = table->qos.size();
        if (plan_.qos == 0) return;
        AccountingEdits edits;
        edits.qos = std::move(table->qos);
        plan_.edits.push_back(std::move(edits));
    }

    void read_accounts() {
        for (const api::AssociationRow& row : view_.associations) {
            if (!row.user.empty()) known_.insert({row.account, row.user});
        }
        if (!texts_.accounts) return;
        const ConfigText& file = *texts_.accounts;
        const slurm::LoadOptions options{.cluster = view_.cluster, .lenient = true};
        Result<slurm::LoadPlan> loaded = slurm::plan_load(view_, file.text, options);
        if (!loaded.ok()) {
            const std::string& message = loaded.error().message;
            return cannot_read(
                {Severity::error, file.name, line_named(message), slurm::one_line(message)});
        }
        name_changed_names(file);
        for (const slurm::LoadProblem& one : loaded->problems) {
            const std::string what = slurm::one_line(one.what);
            find(Severity::error, file, one.line, what + slurm::instead_of(first_word(what)));
        }
        for (AccountingEdits& part : loaded->edits) {
            plan_.accounts += part.accounts.size();
            plan_.users += part.associations.size();
            for (const AssociationSpec& one : part.associations)
                known_.insert({one.account, one.user});
            plan_.edits.push_back(std::move(part));
        }
    }

    // "GrpWall" of "GrpWall is not supported yet: …" and "AdminLevel" of "AdminLevel='…' should …".
    static std::string_view first_word(std::string_view text) {
        return text.substr(0, text.find_first_of(" ="));
    }

    // Slurm writes capital letters of users with PreserveCaseUser alone: then ann is not Ann.
    void name_changed_names(const ConfigText& file) {
        using Kind = slurm::AssociationLineKind;
        const auto lines = slurm::read_association_file(file.text);
        if (!lines.ok()) return;
        for (const slurm::AssociationLine& line : *lines) {
            if (line.kind == Kind::cluster && !iequals(line.name, view_.cluster)) {
                find(Severity::warning, file, line.number,
                     "the accounts of cluster " + line.name + " become those of " + view_.cluster);
            }
            if (line.kind == Kind::user && line.name != line.written) {
                find(Severity::error, file, line.number,
                     "user " + line.written + " is imported as " + line.name +
                         ": names of users in accounts are in lower case");
            }
        }
    }

    // Slurm has an association for each partition too, which Berth has not: they are added up.
    void read_usage_table() {
        if (!texts_.usage) return;
        const ConfigText& file = *texts_.usage;
        const auto lines = read_usage(file.text);
        if (!lines.ok()) return cannot_read(table_error(file, lines.error().message));
        std::map<Key, std::int64_t> sums;
        for (const UsageLine& one : *lines) {
            const Key key{to_lower(one.entry.account), one.entry.user};
            if (!known_.contains(key) && key != Key{"root", "root"}) {
                if (one.entry.billing == 0) continue;
                find(Severity::error, file, one.line,
                     "user " + key.second + " is not in account " + key.first + ": the usage of " +
                         std::to_string(one.entry.billing) + " s is lost");
                continue;
            }
            std::int64_t& sum = sums[key];
            if (one.entry.billing > kUsageMax - sum) {
                find(Severity::error, file, one.line,
                     "the usage of user " + key.second + " in account " + key.first +
                         " is more than " + std::to_string(kUsageMax) + " s");
                continue;
            }
            sum += one.entry.billing;
        }
        for (const auto& [key, sum] : sums) plan_.usage.push_back({key.first, key.second, sum});
    }

    void read_reservations() {
        if (!texts_.reservations) return;
        slurm::MovedReservations moved = slurm::read_reservations(texts_.reservations->text, now_);
        find_all(*texts_.reservations, moved.remarks);
        for (slurm::MovedReservation& one : moved.reservations)
            plan_.reservations.push_back(std::move(one.call));
    }

    void read_jobs() {
        if (state_ == slurm::MovedState::no || !texts_.jobs || !texts_.owners) return;
        const auto owners = slurm::read_job_owners(texts_.owners->text);
        if (!owners.ok()) return cannot_read(table_error(*texts_.owners, owners.error().message));
        slurm::MovedJobs moved = slurm::read_moved_jobs(
            {.records = texts_.jobs->text, .owners = *owners, .scripts = texts_.scripts}, state_,
            now_);
        find_all(*texts_.jobs, moved.remarks);
        plan_.jobs = std::move(moved.jobs);
        if (plan_.jobs.empty()) return;
        find(Severity::warning, *texts_.jobs, 0,
             "Slurm does not show the environment of jobs: each begins with HOME, USER, LOGNAME, "
             "SHELL and PATH alone, and has a new number");
    }

    const ImportTexts& texts_;
    slurm::MovedState state_;
    Time now_;
    ClusterSpec spec_;
    slurm::AccountingView view_;
    std::set<Key> known_;  // Users in accounts, once all is loaded.
    ImportPlan plan_;
};

}  // namespace

ImportPlan plan_import(const ImportTexts& texts, slurm::MovedState state,
                       const std::optional<slurm::AccountingView>& there, Time now) {
    return Planner(texts, state, now).run(there);
}

}  // namespace berth::cli
