// berth policy list: the rules that a site can choose, with their settings.
#include <ostream>

#include "berth/cli/subcommands.h"
#include "berth/policy/catalog.h"

namespace berth::cli {
namespace {

template <class Rule>
void print(std::ostream& out, const char* kind, std::span<const RuleDef<Rule>> rules) {
    for (const RuleDef<Rule>& rule : rules) {
        out << kind << ' ' << rule.name << ": " << rule.summary << '\n';
        for (const SettingDef& setting : rule.settings) {
            out << "    " << setting.name << " (" << setting.otherwise << "; " << setting.low
                << " to " << setting.high << "): " << setting.summary << '\n';
        }
    }
}

}  // namespace

int policy_list(Output& output) {
    print(output.out(), "priority", priority_terms());
    print(output.out(), "order", order_rules());
    print(output.out(), "fairness", fairness_rules());
    print(output.out(), "placement", placement_scores());
    return 0;
}

}  // namespace berth::cli
