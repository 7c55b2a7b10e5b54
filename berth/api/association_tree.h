// AssociationTree: what accounts, and the users in them, have from the accounts above them. Made of
// the rows of GET /v1/associations and /v1/qos.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"

namespace berth::api {

// A coordinator of an account, or an account that a user coordinates.
struct Coordination {
    std::string name;
    bool direct = false;  // Of the account itself; otherwise of one above it.

    friend bool operator==(const Coordination&, const Coordination&) = default;
};
std::string names_of(const std::vector<Coordination>& all);  // "ann,ben"

class AssociationTree {
public:
    // Both must outlive the tree.
    AssociationTree(const std::vector<AssociationRow>& associations,
                    const std::vector<QosRow>& qos);
    AssociationTree(std::vector<AssociationRow>&&, const std::vector<QosRow>&) = delete;
    AssociationTree(const std::vector<AssociationRow>&, std::vector<QosRow>&&) = delete;

    // Its own, else those of the accounts above it, except group limits.
    Limits limits_of(const AssociationRow& row) const;
    // By name: its own, else those of the nearest account above it that names some, else all.
    std::vector<std::string> qos_of(const AssociationRow& row) const;
    std::string default_qos_of(const AssociationRow& row) const;
    // The way from the root to it: "/bio/cells/0-ada/".
    std::string lineage_of(const AssociationRow& row) const;
    // The default, else the first, as for jobs that name none; empty for a user in no account.
    std::string default_account_of(std::string_view user) const;
    // Those of the account, and of the accounts above it, by name.
    std::vector<Coordination> coordinators_of(const AssociationRow& account) const;
    // The accounts that the user coordinates, with all that are beneath them, by name.
    std::vector<Coordination> coordinated_by(std::string_view user) const;

private:
    // The row itself, then the accounts above it up to the root.
    std::vector<const AssociationRow*> path_of(const AssociationRow& row) const;

    std::map<std::string_view, const AssociationRow*> accounts_;
    std::map<std::string_view, const AssociationRow*> defaults_;  // By user.
    std::vector<std::string> all_qos_;
};

}  // namespace berth::api
