// berth queues: the quotas of queues, what they borrow and lend, and changes of the quotas.
#include <algorithm>
#include <ostream>

#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/cli/json_list.h"
#include "berth/cli/queue_lines.h"
#include "berth/cli/subcommands.h"
#include "berth/client/client.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/queue_options.h"

namespace berth::cli {
namespace {

std::string amount(const std::string& tres, std::optional<std::int64_t> count) {
    if (!count) return "-";
    return kind_of_tres(tres) == TresKind::mem ? format_size(mib(*count)) : std::to_string(*count);
}

// Those that no column shows.
std::string other_options(const api::QueueRow& row) {
    std::string text;
    for (const auto& [name, value] : row.options) {
        if (name == "nominal" || name == "guarantee" || name == "limit") continue;
        if (!text.empty()) text += ' ';
        text.append(name).append("=").append(value);
    }
    return text;
}

void add_lines(const api::QueueRow& row, std::vector<std::vector<Output::Cell>>& lines) {
    const std::vector<Output::Cell> first = {
        {std::string(std::size_t{2} * row.depth, ' ') + row.name},
        {std::to_string(row.running_jobs)},
        {std::to_string(row.pending_jobs)}};
    std::vector<Output::Cell> line = first;
    for (const api::QueueTresRow& one : row.tres) {
        const auto shown = [&](std::optional<std::int64_t> count, Colour colour = Colour::none) {
            line.push_back(
                {amount(one.tres, count), count.value_or(0) == 0 ? Colour::none : colour});
        };
        line.push_back({one.tres});
        shown(one.used);
        shown(one.nominal);
        shown(one.guarantee);
        shown(one.limit);
        shown(one.borrowed, Colour::yellow);
        shown(one.lent, Colour::green);
        if (&one == row.tres.data()) line.push_back({other_options(row), Colour::grey});
        lines.push_back(std::move(line));
        line = {{""}, {""}, {""}};
    }
    if (!row.tres.empty()) return;
    if (!row.options.empty()) {  // It bounds jobs, and has no quota.
        constexpr std::size_t kOfTres = 7;
        line.resize(line.size() + kOfTres);
        line.push_back({other_options(row), Colour::grey});
    }
    lines.push_back(std::move(line));
}

struct Found {
    QueueSpec queue;
    bool has_options = false;
};

// The queue as it is now.
Result<Found> find_queue(const std::vector<api::QueueRow>& rows, const std::string& name) {
    const auto row = std::ranges::find_if(
        rows, [&](const api::QueueRow& one) { return iequals(one.name, name); });
    if (row == rows.end()) {
        return invalid_argument("there is no account " + name +
                                ", and a queue is an account; add it first: sacctmgr add account " +
                                name);
    }
    BERTH_TRY(QueueSpec queue, queue_of_row(*row));
    return Found{.queue = std::move(queue), .has_options = !row->options.empty()};
}

}  // namespace

int queues_show(const std::vector<std::string>& names, bool json, Output& output) {
    Client client;
    auto rows = client.accounts().queues();
    if (!rows) return output.fail(rows.problem());
    for (const std::string& name : names) {
        const bool known = std::ranges::any_of(
            *rows, [&](const api::QueueRow& row) { return iequals(row.name, name); });
        if (!known) return output.fail("there is no queue " + name);
    }
    std::erase_if(*rows, [&](const api::QueueRow& row) {
        return !names.empty() && std::ranges::none_of(names, [&](const std::string& name) {
            return iequals(row.name, name);
        });
    });
    if (json) {
        print_json_list(*rows, output.out());
        return 0;
    }
    if (rows->empty()) {
        output.out() << "no queues: there are no accounts\n";
        return 0;
    }
    std::vector<std::vector<Output::Cell>> lines = {{{"QUEUE"},
                                                     {"RUNNING"},
                                                     {"WAITING"},
                                                     {"RESOURCE"},
                                                     {"USED"},
                                                     {"NOMINAL"},
                                                     {"GUARANTEE"},
                                                     {"LIMIT"},
                                                     {"BORROWED"},
                                                     {"LENT"},
                                                     {"OPTIONS"}}};
    for (const api::QueueRow& row : *rows) add_lines(row, lines);
    output.table(lines);
    return 0;
}

int queues_set(const QueueSetOptions& options, Output& output) {
    Client client;
    const auto rows = client.accounts().queues();
    if (!rows) return output.fail(rows.problem());
    auto found = find_queue(*rows, options.name);
    if (!found.ok()) return output.fail(found.error().message);
    if (options.is_new && found->has_options) {
        return output.fail("queue " + found->queue.name +
                           " has a quota already; change it with `berth queues set`");
    }
    if (!options.is_new && !found->has_options) {
        return output.fail("queue " + found->queue.name +
                           " has no quota yet; give it one with `berth queues add`");
    }
    const Status set = set_queue_options(found->queue, options.words);
    if (!set.ok()) return output.fail(set.error().message);
    if (options_of(found->queue).empty()) {
        return output.fail("nothing would be set of queue " + found->queue.name +
                           "; take it out with `berth queues remove`");
    }
    AccountingEdits edits;
    edits.queues = {found->queue};
    const auto answer = client.accounts().edit(edits);
    if (!answer) return output.fail(answer.problem());
    output.out() << queue_line(found->queue) << '\n';
    return 0;
}

int queues_remove(const std::vector<std::string>& names, Output& output) {
    Client client;
    AccountingEdits edits;
    edits.removed_queues = names;
    const auto answer = client.accounts().edit(edits);
    if (!answer) return output.fail(answer.problem());
    for (const std::string& name : names)
        output.out() << "queue " << name << " has no quota any more\n";
    return 0;
}

}  // namespace berth::cli
