#include "berth/slurm/tables/sreport_print.h"

#include <pwd.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

// The user's full name, as the host knows it.
std::string proper_name_of(const std::string& user) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 16384> buffer{};
    if (user.empty() ||
        getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
        found == nullptr || found->pw_gecos == nullptr)
        return {};
    const std::string text = found->pw_gecos;
    return text.substr(0, text.find(','));
}

class Report {
public:
    Report(const ReportStyle& style, ReportAsked asked, api::UsageReport usage,
           std::vector<api::AssociationRow> associations, Streams& streams)
        : style_(style),
          asked_(std::move(asked)),
          usage_(std::move(usage)),
          associations_(std::move(associations)),
          out_(streams.out),
          err_(streams.err) {}

    int print() {
        auto columns = report_columns(asked_.words, asked_.notation, asked_.with_tres);
        if (!columns.ok()) return err_ << columns.error().message, 1;
        columns_ = *std::move(columns);
        if (!style_.quiet) print_notes();
        switch (asked_.words.kind) {
            case ReportKind::utilization: print_utilization(); break;
            case ReportKind::reservations: print_reservations(); break;
            case ReportKind::sizes_by_account:
            case ReportKind::sizes_by_wckey:
            case ReportKind::sizes_by_account_and_wckey: print_sizes(); break;
            default: print_used(); break;
        }
        return 0;
    }

private:
    // What is not kept, and so is in no column.
    void print_notes() {
        const bool needs_nodes = asked_.words.kind == ReportKind::utilization ||
                                 (asked_.notation.has_percent() && is_of_users());
        if (!needs_nodes || (usage_.nodes_since && *usage_.nodes_since <= usage_.from)) return;
        err_ << "sreport: it is not kept which nodes there were, and which were down, before "
             << (usage_.nodes_since ? local_time(usage_.nodes_since, "") : "now")
             << ": of that time only what was allocated is reported\n";
    }
    bool is_of_users() const {
        return !is_of_sizes(asked_.words.kind) && asked_.words.kind != ReportKind::reservations;
    }

    std::int64_t length() const { return seconds(usage_.until) - seconds(usage_.from); }

    void print_title(const std::string& title, bool with_length, const std::string& more) {
        if (!style_.header) return;
        const std::string rule(80, '-');
        out_ << rule << '\n'
             << title << ' ' << local_time(usage_.from, "") << " - "
             << local_time(usage_.until - std::chrono::seconds(1), "");
        if (with_length) out_ << " (" << length() << " secs)";
        out_ << '\n' << more << rule << '\n';
    }
    std::string usage_words(const std::string& of) const {
        const std::string words = asked_.notation.words();
        if (asked_.notation.unit == TimeNotation::Unit::percent)
            return "Usage reported in " + words + "\n";
        return "Usage reported in " + of + " " + words + "\n";
    }
    void print_columns() {
        if (style_.header) print_report_header(columns_, style_.table, out_);
    }
    void put(const ReportLine& line) { print_report_line(columns_, line, style_.table, out_); }
    std::string text(std::int64_t amount, std::int64_t total) const {
        return asked_.notation.text(amount, total);
    }
    const api::TresTime* time_of(const std::string& tres) const {
        const auto found = std::ranges::find(usage_.times, tres, &api::TresTime::name);
        return found == usage_.times.end() ? nullptr : &*found;
    }

    void print_utilization() {
        print_title("Cluster Utilization", false, usage_words(asked_.with_tres ? "TRES" : "CPU"));
        using Amount = std::int64_t api::TresTime::*;
        constexpr std::pair<ReportCell, Amount> kAmounts[] = {
            {ReportCell::allocated, &api::TresTime::allocated},
            {ReportCell::down, &api::TresTime::down},
            {ReportCell::planned_down, &api::TresTime::planned_down},
            {ReportCell::idle, &api::TresTime::idle},
            {ReportCell::planned, &api::TresTime::planned},
            {ReportCell::overcommitted, &api::TresTime::overcommitted},
            {ReportCell::reported, &api::TresTime::reported}};
        std::vector<const api::TresTime*> times;
        for (const std::string& tres : asked_.tres) {
            const api::TresTime* const time = time_of(tres);
            if (time != nullptr && time->reported > 0) times.push_back(time);
        }
        for (const auto& [cell, amount] : kAmounts) {
            std::int64_t most = 0;
            for (const api::TresTime* time : times) most = std::max(most, time->*amount);
            fit(columns_, cell, most, asked_.notation);
        }
        fit(columns_, ReportCell::energy, 0, asked_.notation);
        print_columns();
        for (const api::TresTime* time : times) {
            ReportLine line{{ReportCell::cluster, usage_.cluster},
                            {ReportCell::tres_name, time->name},
                            {ReportCell::tres_count, std::to_string(time->count)},
                            {ReportCell::used, text(0, 0)},
                            {ReportCell::energy, text(0, 0)}};
            for (const auto& [cell, amount] : kAmounts)
                line[cell] = text(time->*amount, time->reported);
            std::int64_t possible = 0;
            if (__builtin_mul_overflow(length(), time->count, &possible)) possible = time->reported;
            line[ReportCell::reported] = text(time->reported, possible);
            put(line);
        }
    }

    std::vector<UsedLine> used_lines() const {
        switch (asked_.words.kind) {
            case ReportKind::account_by_user:
                return lines_by_account(asked_, usage_, associations_);
            case ReportKind::wckey_by_user: return lines_by_wckey(usage_);
            default: break;
        }
        std::vector<UsedLine> lines = lines_by_user(asked_, usage_);
        const auto top = static_cast<std::size_t>(asked_.words.top);
        if (asked_.words.kind == ReportKind::top_users && lines.size() > top) lines.resize(top);
        return lines;
    }
    std::string used_title() const {
        switch (asked_.words.kind) {
            case ReportKind::account_by_user: return "Cluster/Account/User Utilization";
            case ReportKind::user_by_account: return "Cluster/User/Account Utilization";
            case ReportKind::user_by_wckey: return "Cluster/User/WCKey Utilization";
            case ReportKind::wckey_by_user: return "Cluster/WCKey/User Utilization";
            default: return "Top " + std::to_string(asked_.words.top) + " Users";
        }
    }
    void print_used() {
        print_title(used_title(), true, usage_words(asked_.with_tres ? "TRES" : "CPU"));
        const std::vector<UsedLine> lines = used_lines();
        std::int64_t most = 0;
        for (const UsedLine& line : lines) {
            for (const std::string& tres : asked_.tres)
                most = std::max(most, amount_of(line.used, tres));
        }
        fit(columns_, ReportCell::used, most, asked_.notation);
        fit(columns_, ReportCell::energy, 0, asked_.notation);
        print_columns();
        for (const UsedLine& line : lines) {
            const std::string indent(asked_.words.flags.tree ? line.depth : 0, ' ');
            for (const std::string& tres : asked_.tres) {
                const api::TresTime* const time = time_of(tres);
                put({{ReportCell::cluster, usage_.cluster},
                     {ReportCell::account, indent + line.account},
                     {ReportCell::login, line.user},
                     {ReportCell::proper_name, proper_name_of(line.user)},
                     {ReportCell::wckey, line.wckey},
                     {ReportCell::tres_name, tres},
                     {ReportCell::tres_count, std::to_string(time == nullptr ? 0 : time->count)},
                     {ReportCell::used,
                      text(amount_of(line.used, tres), time == nullptr ? 0 : time->reported)},
                     {ReportCell::energy, text(0, 0)}});  // As Slurm where it is not measured.
            }
        }
    }

    void print_sizes() {
        const SizeReport sizes = size_report(asked_, usage_, associations_);
        const bool by_key = asked_.words.kind == ReportKind::sizes_by_wckey;
        std::string more;
        if (asked_.with_tres) more += "TRES type is " + join(asked_.tres, ",") + "\n";
        more += asked_.words.flags.job_count ? std::string("Units are in number of jobs ran\n")
                                             : "Time reported in " + asked_.notation.words() + "\n";
        print_title(by_key ? "Job Sizes by Wckey" : "Job Sizes", true, more);
        for (std::size_t i = 0; i < sizes.ranges.size(); ++i) {
            columns_.push_back({.cell = size_cell(i),
                                .header = sizes.ranges[i].header,
                                .width = asked_.notation.with_percent ? 20U : 13U});
        }
        columns_.push_back(
            {.cell = ReportCell::share_of_cluster, .header = "% of cluster", .width = 12});
        print_columns();
        const TimeNotation share{TimeNotation::Unit::percent, false};
        for (const SizeLine& one : sizes.lines) {
            const bool by_count = asked_.words.flags.job_count;
            ReportLine line{{ReportCell::cluster, usage_.cluster},
                            {ReportCell::account, one.name},
                            {ReportCell::wckey, one.name}};
            for (std::size_t i = 0; i < sizes.ranges.size(); ++i) {
                line[size_cell(i)] = by_count ? std::to_string(one.jobs_of[i])
                                              : text(one.seconds_of[i], one.seconds);
            }
            line[ReportCell::share_of_cluster] = by_count ? share.text(one.jobs, sizes.jobs)
                                                          : share.text(one.seconds, sizes.seconds);
            put(line);
        }
    }

    bool is_wanted(const api::ReservationTime& one) const {
        const auto& words = asked_.words;
        const auto among = [](const std::vector<std::string>& list, const std::string& name) {
            return std::ranges::find(list, name) != list.end();
        };
        const bool by_name = words.chosen.names.empty() || among(words.chosen.names, one.name);
        const bool by_node = words.chosen.nodes.empty() ||
                             std::ranges::any_of(one.nodes, [&](const std::string& node) {
                                 return among(words.chosen.nodes, node);
                             });
        return by_name && by_node;
    }
    void print_reservations() {
        print_title("Reservation Utilization", false, usage_words("TRES"));
        print_columns();
        std::vector<const api::ReservationTime*> rows;
        for (const api::ReservationTime& one : usage_.reservations) {
            if (is_wanted(one)) rows.push_back(&one);
        }
        std::ranges::sort(rows, [](const auto* a, const auto* b) {
            return a->name != b->name ? a->name < b->name : a->start > b->start;
        });
        for (const api::ReservationTime* one : rows) {
            for (const api::TresTime& time : one->tres) {
                if (std::ranges::find(asked_.tres, time.name) != asked_.tres.end())
                    put(reservation_line(*one, time));
            }
        }
    }
    ReportLine reservation_line(const api::ReservationTime& one, const api::TresTime& time) const {
        std::vector<std::string> allowed = one.accounts;
        allowed.insert(allowed.end(), one.users.begin(), one.users.end());
        return {{ReportCell::cluster, usage_.cluster},
                {ReportCell::name, one.name},
                {ReportCell::start, local_time(one.start, "")},
                {ReportCell::end, local_time(one.end, "")},
                {ReportCell::flags, one.flags},
                {ReportCell::nodes, nodes_text(one.nodes)},
                {ReportCell::associations, join(allowed, ",")},
                {ReportCell::total_time, format_duration(one.end - one.start)},
                {ReportCell::tres_name, time.name},
                {ReportCell::tres_count, std::to_string(time.count)},
                {ReportCell::tres_time, format_duration(std::chrono::seconds(time.reported))},
                {ReportCell::allocated, text(time.allocated, time.reported)},
                {ReportCell::idle, text(time.idle, time.reported)}};
    }

    const ReportStyle& style_;
    ReportAsked asked_;
    api::UsageReport usage_;
    std::vector<api::AssociationRow> associations_;
    std::vector<ReportColumn> columns_;
    std::ostream& out_;
    std::ostream& err_;
};

}  // namespace

int print_report(const ReportStyle& style, ReportAsked asked, api::UsageReport usage,
                 std::vector<api::AssociationRow> associations, Streams& streams) {
    return Report(style, std::move(asked), std::move(usage), std::move(associations), streams)
        .print();
}

}  // namespace berth::slurm
