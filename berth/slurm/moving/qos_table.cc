#include "berth/slurm/moving/qos_table.h"

#include <algorithm>
#include <chrono>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/model/account_name.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/qos_preemption.h"
#include "berth/slurm/admin/sacctmgr_options.h"

namespace berth::slurm {
namespace {

constexpr std::string_view kHowMade = "; make the file with: sacctmgr -P show qos";

// "00:00:30" of the table is what GraceTime takes in seconds.
std::string in_seconds(const std::string& value) {
    if (value.find(':') == std::string::npos) return value;
    const auto length = parse_time_limit(value);
    if (!length.ok() || !*length) return value;
    return std::to_string(**length / std::chrono::seconds(1));
}

class QosTableReader {
public:
    Status read(std::string_view text) {
        std::size_t number = 0;
        for (const std::string_view line : split(text, '\n')) {
            ++number;
            if (trim(line).empty()) continue;
            if (columns_.empty()) {
                BERTH_CHECK(read_header(line, number));
            } else {
                read_row(line, number);
            }
        }
        if (columns_.empty())
            return invalid_argument("line 1: nothing is there" + std::string(kHowMade));
        check_preempted();
        check_loops();
        return Done{};
    }

    QosTable take() { return std::move(made_); }

private:
    Status read_header(std::string_view line, std::size_t number) {
        for (const std::string_view column : split(line, '|')) columns_.emplace_back(trim(column));
        const auto name = std::ranges::find_if(
            columns_, [](const std::string& column) { return iequals(column, "Name"); });
        name_at_ = static_cast<std::size_t>(name - columns_.begin());
        if (name_at_ < columns_.size()) return Done{};
        return invalid_argument("line " + std::to_string(number) + ": there is no column Name" +
                                std::string(kHowMade));
    }

    void refuse(const std::string& message) {
        made_.remarks.push_back({RemarkKind::refused, line_, message});
    }

    void read_row(std::string_view line, std::size_t number) {
        line_ = number;
        const auto fields = split(line, '|');
        if (fields.size() != columns_.size()) {
            return refuse("it has " + std::to_string(fields.size()) + " fields, and the header " +
                          std::to_string(columns_.size()));
        }
        QosSpec qos{.name = to_lower(trim(fields[name_at_]))};
        if (qos.name.empty()) return refuse("a QOS has a name");
        if (!is_accounting_name(qos.name)) return refuse("'" + qos.name + "' is no name for a QOS");
        if (std::ranges::find(made_.qos, qos.name, &QosSpec::name) != made_.qos.end())
            return refuse("QOS " + qos.name + " stands in the table twice");
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const std::string value(trim(fields[i]));
            // So Slurm writes that there is none.
            if (i == name_at_ || columns_[i].empty() || value.empty() || value == "00:00:00")
                continue;
            set(qos, columns_[i], value);
        }
        if (qos.description.empty()) qos.description = qos.name;
        made_.qos.push_back(std::move(qos));
        lines_.push_back(number);
    }

    void set(QosSpec& qos, const std::string& column, const std::string& value) {
        if (iequals(column,
                    "Flags")) {  // Each by itself: one that is refused says nothing of the others.
            for (const std::string& flag : lower_case_list(value)) set_one(qos, column, flag, '+');
            return;
        }
        set_one(qos, column, iequals(column, "GraceTime") ? in_seconds(value) : value, '=');
    }

    void set_one(QosSpec& qos, const std::string& column, const std::string& value, char sign) {
        const Option option{
            .name = to_lower(column), .value = value, .word = column + "=" + value, .sign = sign};
        Settings settings;
        QosSpec changed = qos;
        const Result<bool> known = set_qos_option(changed, option, settings);
        if (known.ok() && *known) {
            qos = std::move(changed);
            return;
        }
        refuse("QOS " + qos.name + ": " +
               one_line(known.ok() ? unknown(option).message : known.error().message) +
               instead_of(column));
    }

    void check_preempted() {
        for (std::size_t i = 0; i < made_.qos.size(); ++i) {
            line_ = lines_[i];
            QosSpec& qos = made_.qos[i];
            std::erase_if(qos.preempt, [&](const std::string& name) {
                const bool is_there =
                    name == "normal" ||
                    std::ranges::find(made_.qos, name, &QosSpec::name) != made_.qos.end();
                if (!is_there)
                    refuse("QOS " + qos.name + ": Preempt names " + name + ", which is not there");
                return !is_there;
            });
        }
    }

    // A loop is cut where it is found, so that what is left can be loaded.
    void check_loops() {
        while (const auto name = find_preemption_loop(made_.qos)) {
            const auto at = std::ranges::find(made_.qos, *name, &QosSpec::name);
            line_ = lines_[static_cast<std::size_t>(at - made_.qos.begin())];
            refuse("QOS " + *name + ": Preempt leads back to it");
            at->preempt.clear();
        }
    }

    std::vector<std::string> columns_;
    std::size_t name_at_ = 0, line_ = 0;
    std::vector<std::size_t> lines_;  // Of each QOS.
    QosTable made_;
};

}  // namespace

Result<QosTable> read_qos_table(std::string_view text) {
    QosTableReader reader;
    BERTH_CHECK(reader.read(text));
    return reader.take();
}

}  // namespace berth::slurm
