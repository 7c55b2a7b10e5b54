// RestAnswers: what slurmrestd's GET routes give of nodes, partitions, reservations, licenses,
// shares and the database, from a snapshot alone.
#pragma once

#include <memory>
#include <optional>

#include "berth/model/principal.h"
#include "berth/server/service/response.h"
#include "berth/server/snapshot/read_model.h"
#include "berth/slurmrest/meta.h"
#include "berth/slurmrest/rest_query.h"
#include "berth/slurmrest/rest_routes.h"

namespace berth {

// A request whose route and query are known.
struct RestAsked {
    const slurmrest::RestCall& call;
    const slurmrest::RestQuery& query;
    const slurmrest::Meta& meta;
    std::shared_ptr<const Snapshot> snapshot;
    const ApiRequest& request;

    const Principal& who() const { return request.principal; }
};

// nullopt: it takes more than a snapshot to answer.
std::optional<ApiResponse> rest_answer(const RestAsked& asked);

}  // namespace berth
