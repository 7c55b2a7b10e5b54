#include "berth/slurm/tables/sreport_table.h"

#include <algorithm>
#include <array>
#include <ostream>

#include "berth/base/text.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/printable.h"

namespace berth::slurm {
namespace {

constexpr std::size_t kPercentWidth = 9;  // "(100.00%)"

// A name that format= takes, and how short it may be cut. Where a word fits several, the first one
// is meant.
struct ReportField {
    std::string_view name;
    std::size_t least;
    ReportCell cell;
};
using Cell = ReportCell;

constexpr auto kClusterFields = std::to_array<ReportField>({
    {"Accounts", 2, Cell::account},
    {"Allocated", 2, Cell::allocated},
    {"Cluster", 2, Cell::cluster},
    {"Down", 1, Cell::down},
    {"Idle", 1, Cell::idle},
    {"Login", 1, Cell::login},
    {"OverCommitted", 1, Cell::overcommitted},
    {"PlannedDown", 2, Cell::planned_down},
    {"PLNDDown", 2, Cell::planned_down},
    {"Planned", 2, Cell::planned},
    {"Reserved", 3, Cell::planned},
    {"Proper", 2, Cell::proper_name},
    {"Reported", 3, Cell::reported},
    {"TresCount", 5, Cell::tres_count},
    {"CpuCount", 2, Cell::tres_count},
    {"Count", 2, Cell::tres_count},
    {"TresName", 5, Cell::tres_name},
    {"Used", 1, Cell::used},
    {"WCKey", 2, Cell::wckey},
    {"Energy", 1, Cell::energy},
});
constexpr auto kSizeFields = std::to_array<ReportField>({
    {"Account", 1, Cell::account},
    {"Acct", 4, Cell::account},
    {"Cluster", 2, Cell::cluster},
    {"Wckey", 1, Cell::wckey},
});
constexpr auto kReservationFields = std::to_array<ReportField>({
    {"Allocated", 2, Cell::allocated},
    {"Associations", 2, Cell::associations},
    {"Cluster", 2, Cell::cluster},
    {"End", 2, Cell::end},
    {"Flags", 2, Cell::flags},
    {"Idle", 1, Cell::idle},
    {"Name", 2, Cell::name},
    {"Nodes", 2, Cell::nodes},
    {"Start", 2, Cell::start},
    {"TotalTime", 2, Cell::total_time},
    {"TresCount", 5, Cell::tres_count},
    {"CpuCount", 2, Cell::tres_count},
    {"Count", 2, Cell::tres_count},
    {"TresName", 5, Cell::tres_name},
    {"TresTime", 2, Cell::tres_time},
    {"CpuTime", 5, Cell::tres_time},
});
constexpr auto kTopFields = std::to_array<ReportField>({
    {"Accounts", 1, Cell::account},
    {"Cluster", 1, Cell::cluster},
    {"Energy", 1, Cell::energy},
    {"Login", 1, Cell::login},
    {"Proper", 1, Cell::proper_name},
    {"TresName", 5, Cell::tres_name},
    {"Used", 1, Cell::used},
});

std::span<const ReportField> report_fields_of(ReportKind kind) {
    if (is_of_sizes(kind)) return kSizeFields;
    if (kind == ReportKind::reservations) return kReservationFields;
    if (kind == ReportKind::top_users) return kTopFields;
    return kClusterFields;
}

std::vector<ReportCell> cells_of(ReportKind kind, bool with_tres) {
    switch (kind) {
        case ReportKind::utilization:
            if (with_tres) {
                return {Cell::cluster,      Cell::tres_name, Cell::allocated, Cell::down,
                        Cell::planned_down, Cell::idle,      Cell::planned,   Cell::reported};
            }
            return {Cell::cluster, Cell::allocated, Cell::down,    Cell::planned_down,
                    Cell::idle,    Cell::planned,   Cell::reported};
        case ReportKind::account_by_user:
            if (with_tres) {
                return {Cell::cluster,     Cell::account,   Cell::login,
                        Cell::proper_name, Cell::tres_name, Cell::used};
            }
            return {Cell::cluster,     Cell::account, Cell::login,
                    Cell::proper_name, Cell::used,    Cell::energy};
        case ReportKind::user_by_account:
        case ReportKind::top_users:
            if (with_tres) {
                return {Cell::cluster, Cell::login,     Cell::proper_name,
                        Cell::account, Cell::tres_name, Cell::used};
            }
            return {Cell::cluster, Cell::login, Cell::proper_name,
                    Cell::account, Cell::used,  Cell::energy};
        case ReportKind::user_by_wckey:
            if (with_tres) {
                return {Cell::cluster, Cell::login,     Cell::proper_name,
                        Cell::wckey,   Cell::tres_name, Cell::used};
            }
            return {Cell::cluster, Cell::login, Cell::proper_name, Cell::wckey, Cell::used};
        case ReportKind::wckey_by_user:
            if (with_tres) {
                return {Cell::cluster,     Cell::wckey,     Cell::login,
                        Cell::proper_name, Cell::tres_name, Cell::used};
            }
            return {Cell::cluster, Cell::wckey, Cell::login, Cell::proper_name, Cell::used};
        case ReportKind::sizes_by_account:
        case ReportKind::sizes_by_account_and_wckey: return {Cell::cluster, Cell::account};
        case ReportKind::sizes_by_wckey: return {Cell::cluster, Cell::wckey};
        case ReportKind::reservations:
            return {Cell::cluster,   Cell::name,      Cell::start, Cell::end,
                    Cell::tres_name, Cell::allocated, Cell::idle};
    }
    return {};
}

struct CellLook {
    ReportCell cell;
    const char* header;
    std::size_t width;
};
constexpr auto kLooks = std::to_array<CellLook>({
    {Cell::account, "Account", 15},
    {Cell::allocated, "Allocated", 12},
    {Cell::associations, "Associations", 15},
    {Cell::cluster, "Cluster", 9},
    {Cell::down, "Down", 10},
    {Cell::end, "End", 19},
    {Cell::energy, "Energy", 10},
    {Cell::flags, "Flags", 20},
    {Cell::idle, "Idle", 12},
    {Cell::login, "Login", 9},
    {Cell::name, "Name", 9},
    {Cell::nodes, "Nodes", 15},
    {Cell::overcommitted, "Over Comm", 9},
    {Cell::planned, "Planned", 9},
    {Cell::planned_down, "PLND Down", 10},
    {Cell::proper_name, "Proper Name", 15},
    {Cell::reported, "Reported", 12},
    {Cell::start, "Start", 19},
    {Cell::total_time, "TotalTime", 9},
    {Cell::tres_count, "TRES Count", 10},
    {Cell::tres_name, "TRES Name", 14},
    {Cell::tres_time, "TRES Time", 9},
    {Cell::used, "Used", 10},
    {Cell::wckey, "WCKey", 15},
});

ReportColumn look_of(ReportCell cell, const ReportWords& words, TimeNotation notation) {
    const auto look = std::ranges::find(kLooks, cell, &CellLook::cell);
    ReportColumn column{.cell = cell, .header = look->header, .width = look->width};
    const bool is_amount = cell == Cell::allocated || cell == Cell::idle;
    if (words.kind == ReportKind::reservations && is_amount)
        column.width = 20 + (notation.with_percent ? kPercentWidth : 0);
    if (words.kind == ReportKind::reservations && cell == Cell::tres_count)
        column.header = "TRES count";
    if (is_of_sizes(words.kind) && cell == Cell::account) column.width = 9;
    if (is_of_sizes(words.kind) && cell == Cell::wckey) column.header = "Wckey", column.width = 9;
    if (words.kind == ReportKind::sizes_by_account_and_wckey && cell == Cell::account)
        column.width = 20, column.left = true;
    if (words.kind == ReportKind::account_by_user && words.flags.tree && cell == Cell::account)
        column.width = 20, column.left = true;
    return column;
}

// "Used%20", "name%-30".
Result<ReportColumn> column_asked(const std::string& word, const ReportWords& words,
                                  TimeNotation notation) {
    const std::size_t percent = word.find('%');
    const std::string asked = word.substr(0, percent);
    const auto fields = report_fields_of(words.kind);
    const auto whole = std::ranges::find_if(
        fields, [&](const ReportField& field) { return iequals(field.name, asked); });
    const auto found =
        whole != fields.end() ? whole : std::ranges::find_if(fields, [&](const ReportField& field) {
            return means(asked, field.name, field.least);
        });
    if (found == fields.end()) {
        const bool is_id =
            words.kind == ReportKind::reservations && means(asked, "ReservationId", 2);
        return Error{ErrorCode::invalid_argument,
                     is_id ? "sreport: error: ReservationId is not supported: a reservation has no "
                             "number; use Name\n"
                           : " Unknown field '" + asked + "'\n"};
    }
    ReportColumn column = look_of(found->cell, words, notation);
    const auto width = percent == std::string::npos ? Result<std::int64_t>(0)
                                                    : parse_int64(word.substr(percent + 1));
    if (width.ok() && *width != 0 && *width > -4096 && *width < 4096) {
        column.left = *width < 0;
        column.width = static_cast<std::size_t>(std::abs(*width));
        column.is_asked = true;
    }
    return column;
}

// Slurm does not cut off a length of time.
bool is_length(ReportCell cell) {
    return cell == ReportCell::total_time || cell == ReportCell::tres_time;
}

// The last cell has no bar behind it where they stand between.
void put_cell(const std::string& text, bool is_last, TableStyle style, std::ostream& out) {
    out << text << (is_last && style == TableStyle::parsable2 ? "" : "|");
}

}  // namespace

Result<std::vector<ReportColumn>> report_columns(const ReportWords& words, TimeNotation notation,
                                                 bool with_tres) {
    std::vector<ReportColumn> columns;
    for (const std::string& word : words.format) {
        BERTH_TRY(columns.emplace_back(), column_asked(word, words, notation));
    }
    if (!columns.empty()) return columns;
    for (const ReportCell cell : cells_of(words.kind, with_tres))
        columns.push_back(look_of(cell, words, notation));
    return columns;
}

void fit(std::vector<ReportColumn>& columns, ReportCell cell, std::int64_t seconds,
         TimeNotation notation) {
    constexpr std::size_t kLeast = 8;
    for (ReportColumn& column : columns) {
        if (column.cell != cell || column.is_asked) continue;
        column.width = std::max(kLeast, std::to_string(seconds).size()) +
                       (notation.with_percent ? kPercentWidth : 0);
    }
}

void print_report_header(const std::vector<ReportColumn>& columns, TableStyle style,
                         std::ostream& out) {
    for (const ReportColumn& column : columns) {
        if (style == TableStyle::table) {
            out << cell(column.header, column.width, !column.left) << ' ';
        } else {
            put_cell(column.header, &column == &columns.back(), style, out);
        }
    }
    out << '\n';
    if (style != TableStyle::table) return;
    for (const ReportColumn& column : columns) out << std::string(column.width, '-') << ' ';
    out << '\n';
}

void print_report_line(const std::vector<ReportColumn>& columns, const ReportLine& line,
                       TableStyle style, std::ostream& out) {
    for (const ReportColumn& column : columns) {
        const auto found = line.find(column.cell);
        std::string text = found == line.end() ? std::string() : found->second;
        if (style == TableStyle::table && is_length(column.cell) && text.size() > column.width) {
            out << text << ' ';
        } else if (style == TableStyle::table) {
            out << cell_with_plus(printable(std::move(text)), column.width, !column.left) << ' ';
        } else {
            put_cell(printable(std::move(text), "|"), &column == &columns.back(), style, out);
        }
    }
    out << '\n';
}

}  // namespace berth::slurm
