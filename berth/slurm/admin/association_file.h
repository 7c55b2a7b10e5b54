// The file that sacctmgr dump writes and sacctmgr load reads: the account tree, one line per
// cluster, account or user in an account. A "Parent" line says what the lines below it are under.
//
//     Cluster - 'lab':Fairshare=1:QOS='normal'
//     Parent - 'root'
//     Account - 'bio':Description='biology':Fairshare=40:GrpTRES=gres/gpu=8
//     Parent - 'bio'
//     User - 'ann':DefaultAccount='bio':Fairshare=1
//
// Source: what Slurm 22.05's `sacctmgr dump` writes. Definitions of QOS are not in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/slurm/admin/sacctmgr_options.h"
#include "berth/slurm/admin/sacctmgr_show.h"

namespace berth::slurm {

enum class AssociationLineKind : unsigned char { cluster, parent, account, user };

struct AssociationLine {
    std::size_t number = 0;  // In the file, from 1.
    AssociationLineKind kind = AssociationLineKind::cluster;
    std::string name;             // In lower case, as sacctmgr takes names.
    std::string written;          // As it stands in the file.
    std::vector<Option> options;  // In the file's order, without quotes.
};

// Empty lines and lines that begin with "#" are left out. An error names the line.
Result<std::vector<AssociationLine>> read_association_file(std::string_view text);

std::string association_file(const AccountingView& view);

}  // namespace berth::slurm
