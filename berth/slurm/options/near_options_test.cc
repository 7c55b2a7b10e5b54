// The options about where a job is: what they set, and what they refuse.
#include "berth/slurm/options/near_options.h"

#include <gtest/gtest.h>

#include <fstream>

#include "berth/slurm/options/job_options.h"

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;

// "" or what is wrong; `near` is what the option set.
std::string set(const char* name, const char* value, TopologyConstraint& near) {
    JobDraft draft;
    for (const JobOption& row : job_options()) {
        if (std::string_view(row.name) != name) continue;
        const Status done = apply_option(row, draft, value);
        near = draft.spec.request->nearness;
        return done.ok() ? "" : done.error().message;
    }
    return "there is no such option";
}

TEST(NearOptions, SetWhatTheySay) {
    struct Case {
        const char *name, *value;
        TopologyConstraint near;
    };
    const Affinity beside_train{.name = "train"};
    const Affinity gpu{.to = Affinity::To::job_on_gpu, .name = "a", .apart = true};
    const Affinity feature{
        .to = Affinity::To::feature, .name = "ib", .apart = true, .required = false};
    const Affinity soft{.to = Affinity::To::feature, .name = "ib", .required = false};
    const Affinity soft_too{.to = Affinity::To::feature, .name = "ssd", .required = false};
    const Case cases[] = {
        {"switches", "2", {.switches = 2}},
        {"switches", "1@10", {.switches = 1, .switches_wait = 10min}},
        {"switches", "1@0:30", {.switches = 1, .switches_wait = 30s}},
        {"switches", "1@UNLIMITED", {.switches = 1, .switches_wait = Duration::max()}},
        {"segment", "4", {.segment = 4}},
        {"contiguous", nullptr, {.contiguous = true}},
        {"spread-job", nullptr, {.spread = true}},
        {"distribution", "cyclic", {.task_order = TaskOrder::cyclic}},
        {"distribution", "block:*", {.task_order = TaskOrder::block}},
        {"distribution",
         "cyclic:block:block,NoPack",
         {.task_order = TaskOrder::cyclic,
          .layout = {.over_sockets = CoreOrder::block, .over_cores = CoreOrder::block}}},
        {"distribution", "*:cyclic", {.layout = {.over_sockets = CoreOrder::cyclic}}},
        {"distribution",
         "block:fcyclic:*,Pack",
         {.task_order = TaskOrder::block,
          .layout = {.over_sockets = CoreOrder::fcyclic, .pack = true}}},
        {"ntasks-per-socket", "2", {.layout = {.per_socket = 2}}},
        {"ntasks-per-core", "1", {.layout = {.per_core = 1}}},
        {"distribution", "Plane=4", {.task_order = TaskOrder::plane, .plane = 4}},
        {"berth-pack", nullptr, {.pack = true}},
        {"berth-compact", nullptr, {.compact = true}},
        {"berth-gpu-memory", "40G", {.gpu_memory_min = gib(40)}},
        {"berth-compute-capability", "8.6", {.compute_capability_min = 86}},
        {"berth-compute-capability", "9", {.compute_capability_min = 90}},
        {"prefer", "ib", {.affinities = {soft}}},
        {"prefer", "ib&ssd", {.affinities = {soft, soft_too}}},
        {"berth-affinity", "node:train", {.affinities = {beside_train}}},
        {"berth-anti-affinity", "gpu:a,feature:ib?", {.affinities = {gpu, feature}}},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(std::string(c.name) + "=" + (c.value == nullptr ? "" : c.value));
        TopologyConstraint near;
        EXPECT_EQ(set(c.name, c.value, near), "");
        EXPECT_EQ(near, c.near);
    }
}

TEST(NearOptions, RefuseWhatTheyCannotDo) {
    struct Case {
        const char *name, *value, *says;
    };
    const Case cases[] = {
        {"switches", "0", "Invalid --switches specification"},
        {"switches", "1@soon", "Invalid --switches specification"},
        {"switches", "1@1@1", "Invalid --switches specification"},
        {"prefer", "ib|ssd",
         "--prefer=ib|ssd is not supported: it takes features with & between them"},
        {"prefer", "", "Invalid --prefer specification"},
        {"nodefile", "/nosuch/file", "Unable to read the node file /nosuch/file"},
        {"nodelist", "/nosuch/file", "Unable to read the node file /nosuch/file"},
        {"exclude", "/dev/null", "The node file /dev/null names no node"},
        {"nodefile", "/tmp", "Unable to read the node file /tmp"},
        {"segment", "x", "Invalid --segment specification"},
        {"distribution", "plane", "Invalid --distribution specification"},
        {"distribution", "plane=0", "Invalid --distribution specification"},
        {"distribution", "arbitrary",
         "--distribution=arbitrary is not supported: name the nodes of each step with --nodelist"},
        {"distribution", "block:random", "Invalid --distribution specification"},
        {"distribution", "block:*:*:*", "Invalid --distribution specification"},
        {"distribution", "block,packed", "Invalid --distribution specification"},
        {"distribution", "cyclic,pack",
         "--distribution=cyclic,pack: Pack is for block: write block,Pack"},
        {"ntasks-per-socket", "0", "Invalid numeric value \"0\" for --ntasks-per-socket."},
        {"ntasks-per-core", "two", "Invalid numeric value \"two\" for --ntasks-per-core."},
        {"berth-gpu-memory", "much", "Invalid --gpu-memory specification"},
        {"berth-compute-capability", "8.0.1",
         "Invalid --compute-capability specification: write it as in 8.0"},
        {"berth-affinity", "train",
         "Invalid affinity \"train\": write node:JOB, gpu:JOB or feature:NAME, and ? after it "
         "where it is only preferred"},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(std::string(c.name) + "=" + c.value);
        TopologyConstraint near;
        EXPECT_EQ(set(c.name, c.value, near), c.says);
    }
}

TEST(NearOptions, ReadNodesFromAFile) {
    const std::string path = ::testing::TempDir() + "/nodes";
    std::ofstream(path) << "n1 n[2-3],\n\n\tn2\nn5\n";
    const std::vector<std::string> wanted{"n1", "n2", "n3", "n5"};
    for (const auto& set_file : {set_nodefile, set_nodelist}) {
        JobDraft draft;
        ASSERT_TRUE(set_file(draft, path.c_str()).ok());
        EXPECT_EQ(*draft.spec.request->nodelist, wanted);
    }
    JobDraft draft;
    ASSERT_TRUE(set_exclude(draft, path.c_str()).ok());
    EXPECT_EQ(*draft.spec.request->exclude, wanted);
    std::ofstream(path) << "n[1-";
    EXPECT_FALSE(set_nodefile(draft, path.c_str()).ok());
}

}  // namespace
}  // namespace berth::slurm
