// berth queues import: queues of Volcano and Kueue, as berth.yaml has them or as a running cluster
// takes them.
#include <iostream>
#include <iterator>
#include <ostream>

#include "berth/base/text.h"
#include "berth/cli/queue_lines.h"
#include "berth/cli/sim_files.h"
#include "berth/cli/subcommands.h"
#include "berth/client/client.h"
#include "berth/config/kube_queues.h"
#include "berth/slurm/admin/sacctmgr_specs.h"

namespace berth::cli {
namespace {

Result<std::vector<config::ConfigText>> read_yaml_files(const std::vector<std::string>& paths) {
    std::vector<config::ConfigText> files;
    for (const std::string& path : paths) {
        if (path == "-") {
            const std::istreambuf_iterator<char> begin(std::cin), end;
            files.push_back({.name = "standard input", .text = std::string(begin, end)});
            continue;
        }
        BERTH_TRY(std::string text, read_file(path));
        files.push_back({.name = path, .text = std::move(text)});
    }
    return files;
}

void print_edits(const AccountingEdits& edits, std::ostream& out) {
    for (const AccountSpec& one : edits.accounts) {
        out << "account " << one.name << ": parent=" << one.parent << " shares=" << one.shares
            << '\n';
    }
    for (const QueueSpec& one : edits.queues) out << queue_line(one) << '\n';
    for (const std::string& name : edits.removed_queues)
        out << "queue " << name << " has no quota any more\n";
}

int apply_import(const config::QueueImport& found, Output& output) {
    Client client;
    const auto rows = client.accounts().associations();
    if (!rows) return output.fail(rows.problem());
    const auto queue_rows = client.accounts().queues();
    if (!queue_rows) return output.fail(queue_rows.problem());
    std::vector<AccountSpec> accounts;
    for (const api::AssociationRow& row : *rows) {
        if (row.user.empty() && row.account != "root") accounts.push_back(slurm::account_of(row));
    }
    std::vector<QueueSpec> queues;
    for (const api::QueueRow& row : *queue_rows) {
        if (row.options.empty()) continue;
        auto queue = queue_of_row(row);
        if (!queue.ok()) return output.fail(queue.error().message);
        queues.push_back(*std::move(queue));
    }
    const auto edits = config::edits_of_import(found, accounts, queues);
    if (!edits.ok()) return output.fail(edits.error().message);
    if (found.has_settings) {
        output.note(
            "priority classes, preemption, order and placement are keys of berth.yaml; "
            "without --apply they are printed");
    }
    if (edits->empty()) {
        output.out() << "nothing changes: the cluster has these queues\n";
        return 0;
    }
    const auto answer = client.accounts().edit(*edits);
    if (!answer) return output.fail(answer.problem());
    print_edits(*edits, output.out());
    return 0;
}

}  // namespace

int queues_import(const QueueImportOptions& options, Output& output) {
    const auto files = read_yaml_files(options.files);
    if (!files.ok()) return output.fail(files.error().message);
    const config::QueueImport found = config::import_queues(*files);
    for (const config::Finding& finding : found.findings) output.note(to_string(finding));
    if (found.has_errors) return 1;
    if (found.text.empty()) {
        return output.fail("no queue, no priority class and no configuration of a scheduler in " +
                           join(options.files, ", "));
    }
    if (options.apply) return apply_import(found, output);
    output.out() << "# From " << join(options.files, ", ") << ", by `berth queues import`.\n"
                 << found.text;
    return 0;
}

}  // namespace berth::cli
