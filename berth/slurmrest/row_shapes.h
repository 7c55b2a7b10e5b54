// Rows of /v1 in the shapes of data_parser: what slurmrestd's GET routes and --json give of each.
#pragma once

#include "berth/api/association_tree.h"
#include "berth/api/messages.h"
#include "berth/slurmrest/call_names.h"
#include "berth/slurmrest/shape_writer.h"

namespace berth::slurmrest {

void put_job(ShapeWriter& json, const api::JobRow& job, const std::string& cluster);
void put_node(ShapeWriter& json, const api::NodeRow& node, const std::string& cluster);
void put_partition(ShapeWriter& json, const api::PartitionRow& partition,
                   const std::string& cluster);
void put_accounting(ShapeWriter& json, const api::AccountingRow& job, Time now);

// What GET jobs/state tells of a job.
void put_job_state(ShapeWriter& json, const api::JobRow& job);
void put_license(ShapeWriter& json, const api::LicenseRow& license);
void put_reservation(ShapeWriter& json, const api::ReservationRow& reservation);

// Of an association with Fairshare=parent.
inline constexpr std::int64_t kSharesOfParent = 0x7fff'ffff;
// The member "shares": each, and how many shares they have together.
void put_shares(ShapeWriter& json, const std::vector<api::ShareRow>& shares);

struct DiagnosticsShape {
    const api::DiagnosticsRow& row;
    std::vector<RpcFigures> calls, users;
};
// The member "statistics".
void put_diagnostics(ShapeWriter& json, const DiagnosticsShape& diagnostics);

// Of slurmdbd's routes and sacctmgr. An association with what it has from the accounts above it.
struct AssociationShape {
    const api::AssociationRow& row;
    const std::string& cluster;
    Limits limits;
    std::vector<std::string> qos;
    std::string default_qos, lineage;  // "/bio/cells/0-ada/"
};
void put_association(ShapeWriter& json, const AssociationShape& association);
// As data_parser has them: users have no parent account, and an account's name describes it where
// no description does.
std::string parent_account_of(const api::AssociationRow& row);
std::string description_of(const api::AssociationRow& account);
// An account, or a user.
struct HolderShape {
    const api::AssociationRow& row;  // Of a user one of several.
    const std::string& cluster;
    std::vector<api::Coordination> coordination;
    std::vector<const api::AssociationRow*> associations;  // Its own, where they are asked for.
    std::string default_account;                           // Of a user.
};
void put_account(ShapeWriter& json, const HolderShape& account);
void put_user(ShapeWriter& json, const HolderShape& user);
void put_qos(ShapeWriter& json, const api::QosRow& row);
void put_cluster(ShapeWriter& json, const std::string& cluster, const std::string& host);

}  // namespace berth::slurmrest
