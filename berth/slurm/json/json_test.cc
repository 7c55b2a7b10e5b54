// What --json and --yaml put around the rows.
#include <gtest/gtest.h>

#include <sstream>

#include "berth/slurm/json/slurm_json.h"
#include "berth/slurmrest/shape_rig.h"

namespace berth::slurm {
namespace {

using slurmrest::at;

TEST(Json, TheFrameNamesTheShapeThatWasAskedFor) {
    const auto frame = [](std::vector<std::string> arguments) {
        std::ostringstream out;
        SlurmJson json(out, Notation::json);
        json.begin();
        json.finish({.name = "squeue", .arguments = std::move(arguments), .environment = {}},
                    "test");
        return api::parse_json(out.str()).value_or(api::JsonValue{});
    };
    EXPECT_EQ(at(frame({"--json"}), "meta.plugin.data_parser"), "data_parser/v0.0.44");
    EXPECT_EQ(at(frame({"--yaml=v0.0.43"}), "meta.plugin.data_parser"), "data_parser/v0.0.43");
    EXPECT_EQ(at(frame({"--json=v0.0.43"}), "meta.plugin.data_parser"), "data_parser/v0.0.43");
    EXPECT_EQ(at(frame({"--me", "--json"}), "meta.command"), "[squeue,--me,--json]");
    EXPECT_EQ(at(frame({}), "meta.slurm.release"), "25.11.0");
    EXPECT_TRUE(check_shape(nullptr).ok());
    EXPECT_TRUE(check_shape("v0.0.44").ok());
    EXPECT_FALSE(check_shape("v0.0.45").ok());
}

}  // namespace
}  // namespace berth::slurm
