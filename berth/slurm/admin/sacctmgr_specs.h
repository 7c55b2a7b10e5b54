// Rows of `sacctmgr show` as the specifications that an edit sends back whole.
#pragma once

#include "berth/slurm/admin/sacctmgr_show.h"

namespace berth::slurm {

AccountSpec account_of(const api::AssociationRow& row);
AssociationSpec association_of(const api::AssociationRow& row);

// `user` empty: the account itself. Null: there is no such row.
const api::AssociationRow* find_row(const AccountingView& view, const std::string& account,
                                    const std::string& user);

}  // namespace berth::slurm
