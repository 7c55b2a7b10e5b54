// The words of scontrol's reservations, partitions and updates, of sacctmgr and of sreport, and
// lists of licenses and TRES: any text is read or refused, and what was read prints as something
// that reads the same.
#include <string>

#include "berth/base/assert.h"
#include "berth/base/text.h"
#include "berth/model/license.h"
#include "berth/model/limits.h"
#include "berth/model/new_node_text.h"
#include "berth/slurm/admin/sacctmgr_edit.h"
#include "berth/slurm/admin/scontrol_partition.h"
#include "berth/slurm/admin/scontrol_reservation.h"
#include "berth/slurm/admin/scontrol_update.h"
#include "berth/slurm/tables/sreport_words.h"

namespace berth::slurm {
namespace {

AccountingView small_view() {
    AccountingView view{.cluster = "c", .host = "h"};
    view.associations.resize(3);
    view.associations[0].account = "root";
    view.associations[1].account = "a";
    view.associations[1].parent = "root";
    view.associations[2].account = "a";
    view.associations[2].user = "u";
    view.qos.resize(1);
    view.qos[0].name = "normal";
    return view;
}

// What is read makes a node, or is refused; and that node is within its bounds.
void check_new_node(const std::string& text) {
    std::vector<std::string> words;
    for (const auto word : split(text, ' ')) words.emplace_back(word);
    JoiningNode joining;
    if (!read_new_node(words, joining.node).ok()) return;
    Dimensions dimensions;
    const auto node = make_node("n", joining, dimensions);
    if (!node.ok()) return;
    BERTH_ASSERT(node->cpus() > 0 && node->devices.size() <= kDevicesPerNodeMax);
}

void check_lists(const std::string& text) {
    check_new_node(text);
    if (const auto licenses = parse_licenses(text)) {
        const auto again = parse_licenses(to_text(*licenses));
        BERTH_ASSERT(licenses->counts.empty() || (again && *again == *licenses));
    }
    if (const auto counts = parse_tres_counts(text)) {
        const auto again = parse_tres_counts(to_text(*counts));
        BERTH_ASSERT(again && *again == *counts);
        (void)changed(*counts, *counts);
    }
}

// A report that is read is of some time.
void check_report(const std::vector<std::string>& words) {
    const auto report = parse_report(words, Time{});
    if (!report.ok()) return;
    const ReportPeriod period = period_of(*report, Time{});
    BERTH_ASSERT(period.from < period.until && report->top > 0);
}

void check_words(const std::string& text) {
    std::vector<std::string> words;
    for (const auto word : split(text, ' ')) words.emplace_back(word);
    (void)parse_update(words, Time{});
    (void)reservation_named(words);
    (void)partition_named(words);
    if (!words.empty()) check_report(words);
    if (const auto call = parse_partition(words); call.ok()) {
        BERTH_ASSERT(check(call->change).ok());
    }
    if (const auto call = parse_reservation(words, Time{}); call.ok()) {
        (void)check_new_reservation(call->change);
    }
    static const AccountingView view = small_view();
    for (const Entity entity : {Entity::account, Entity::user, Entity::qos}) {
        for (const auto parse : {parse_add, parse_modify, parse_delete}) {
            (void)parse(view, entity, words);
        }
    }
}

}  // namespace
}  // namespace berth::slurm

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    berth::slurm::check_lists(text);
    berth::slurm::check_words(text);
    return 0;
}
