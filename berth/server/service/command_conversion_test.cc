#include "berth/server/service/command_conversion.h"

#include <gtest/gtest.h>

#include "berth/server/snapshot/sample_cluster.h"

namespace berth {
namespace {

// A job of one component and `more`; empty: it becomes a command, otherwise why not.
std::string refusal_of(api::RouteId id, int more) {
    std::string body = R"({"components":[)";
    for (int i = 0; i < more; ++i) body += i == 0 ? "{}" : ",{}";
    body += "]}";
    SampleCluster cluster(sample_spec());
    ReadModel model;
    const auto snapshot = cluster.publish(model);
    const Principal who{.uid = 1000, .user = "ann", .role = Role::user};
    const auto made = command_of(*snapshot, {api::route(id), {}, body, who});
    const auto* const problem = std::get_if<api::Problem>(&made);
    return problem == nullptr ? "" : problem->detail;
}

TEST(CommandConversion, CountsComponentsBeforeThePluginsSeeThem) {
    for (const auto id : {api::RouteId::submit_job, api::RouteId::test_job}) {
        EXPECT_EQ(refusal_of(id, 127), "");
        EXPECT_EQ(refusal_of(id, 128),
                  "A heterogeneous job has at most 128 components, and this one has 129");
    }
}

}  // namespace
}  // namespace berth
