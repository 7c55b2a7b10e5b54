#include "berth/slurm/tables/sinfo_order.h"

#include <algorithm>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"

namespace berth::slurm {
namespace {

struct SortField {
    const GroupField* field = nullptr;
    bool descending = false;
};

// Numbers by size, names as nodes are counted: gpu2 before gpu10.
int compare_cells(const std::string& a, const std::string& b) {
    const auto x = parse_int64(a), y = parse_int64(b);
    if (x.ok() && y.ok()) return *x < *y ? -1 : *x > *y ? 1 : 0;
    if (a == b) return 0;
    return host_before(a, b) ? -1 : 1;
}

}  // namespace

Status sort_groups(std::vector<NodeGroup>& groups, const std::string& keys) {
    if (keys.empty()) return Done{};
    std::vector<SortField> order;
    for (std::string_view word : split(keys, ',')) {
        word = trim(word);
        if (word == "#P") continue;  // They are in that order.
        SortField key;
        if (word.starts_with('-') || word.starts_with('+')) {
            key.descending = word[0] == '-';
            word.remove_prefix(1);
        }
        if (word.size() == 1) key.field = find_group_field({.letter = word[0]});
        if (key.field == nullptr) {
            return Error{ErrorCode::invalid_argument,
                         "Invalid sort specification: " + std::string(word) +
                             " (letters of --format, each with + or - before it)"};
        }
        order.push_back(key);
    }
    std::ranges::stable_sort(groups, [&](const NodeGroup& a, const NodeGroup& b) {
        for (const SortField& key : order) {
            const int way = compare_cells(key.field->text(a), key.field->text(b));
            if (way != 0) return key.descending ? way > 0 : way < 0;
        }
        return false;
    });
    return Done{};
}

}  // namespace berth::slurm
