#include "berth/slurm/admin/sacctmgr_specs.h"

#include <algorithm>

namespace berth::slurm {

AccountSpec account_of(const api::AssociationRow& row) {
    AccountSpec one{.name = row.account,
                    .parent = row.parent,
                    .description = row.description,
                    .organization = row.organization,
                    .shares = row.shares,
                    .shares_of_parent = row.shares_of_parent,
                    .priority = row.priority};
    one.limits = row.limits;
    one.qos = row.qos;
    one.default_qos = row.default_qos;
    one.coordinators = row.coordinators;
    return one;
}

AssociationSpec association_of(const api::AssociationRow& row) {
    AssociationSpec one{.account = row.account,
                        .user = row.user,
                        .is_default = row.is_default,
                        .shares = row.shares,
                        .qos = row.qos,
                        .default_qos = row.default_qos,
                        .shares_of_parent = row.shares_of_parent,
                        .priority = row.priority};
    one.limits = row.limits;
    return one;
}

const api::AssociationRow* find_row(const AccountingView& view, const std::string& account,
                                    const std::string& user) {
    const auto at = std::ranges::find_if(view.associations, [&](const auto& one) {
        return one.account == account && one.user == user;
    });
    return at == view.associations.end() ? nullptr : &*at;
}

}  // namespace berth::slurm
