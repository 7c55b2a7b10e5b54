#include "berth/server/views/association_rows.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

// The accounts that are shown as default, in order of rows: "physics:ann".
std::vector<std::string> defaults_of(const std::vector<AssociationSpec>& associations) {
    ClusterSpec spec;
    spec.accounts = {{.name = "bio", .parent = "root"}, {.name = "physics", .parent = "root"}};
    spec.associations = associations;
    std::vector<std::string> found;
    for (const api::AssociationRow& row : association_rows(spec)) {
        if (row.is_default) found.push_back(row.account + ":" + row.user);
    }
    return found;
}

TEST(AssociationRows, ShowTheDefaultAccountThatJobsGet) {
    using Found = std::vector<std::string>;
    const AssociationSpec physics{.account = "physics", .user = "ann"};
    const AssociationSpec bio{.account = "bio", .user = "ann"};
    AssociationSpec marked = bio;
    marked.is_default = true;
    EXPECT_EQ(defaults_of({physics, bio}), Found{"physics:ann"});
    EXPECT_EQ(defaults_of({bio, physics}), Found{"bio:ann"});
    EXPECT_EQ(defaults_of({physics, marked}), Found{"bio:ann"});
}

}  // namespace
}  // namespace berth
