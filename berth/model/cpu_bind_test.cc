#include "berth/model/cpu_bind.h"

#include <gtest/gtest.h>

#include <string>

namespace berth {
namespace {

using Cpus = std::vector<std::vector<std::uint32_t>>;

TEST(CpuBind, NamesCpusByNumberOrByMask) {
    struct Case {
        const char* text;
        CpuBind::Kind kind;
        Cpus cpus;
    };
    const Case cases[] = {
        {"", CpuBind::Kind::automatic, {}},
        {"None", CpuBind::Kind::none, {}},
        {"cores", CpuBind::Kind::cores, {}},
        {"sockets", CpuBind::Kind::sockets, {}},
        {"rank", CpuBind::Kind::rank, {}},
        {"map_cpu:0,2*2,0x1F", CpuBind::Kind::map, {{0}, {2}, {2}, {31}}},
        {"mask_cpu:0x3,C", CpuBind::Kind::mask, {{0, 1}, {2, 3}}},
        {"MASK_CPU:0x80000000000000000001", CpuBind::Kind::mask, {{0, 79}}},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.text);
        const Result<CpuBind> bind = CpuBind::parse(c.text);
        ASSERT_TRUE(bind.ok()) << bind.error().message;
        EXPECT_EQ(bind->kind, c.kind);
        EXPECT_EQ(bind->cpus, c.cpus);
    }
}

TEST(CpuBind, RefusesWhatNamesNoCpu) {
    for (const char* const text :
         {"map_cpu", "map_cpu:", "map_cpu:a", "map_cpu:-1", "map_cpu:8192", "map_cpu:1*0",
          "map_cpu:1*4097", "mask_cpu:0x0", "mask_cpu:0x", "mask_cpu:0xG", "ldoms", "rank:1"}) {
        EXPECT_FALSE(CpuBind::parse(text).ok()) << text;
    }
    EXPECT_FALSE(CpuBind::parse("mask_cpu:0x" + std::string(2049, 'F')).ok());
    EXPECT_EQ(CpuBind::parse("ldoms").error().message,
              "--cpu-bind=ldoms is not supported yet; cores, sockets, rank, none, map_cpu and "
              "mask_cpu are");
    EXPECT_EQ(CpuBind::parse("map_cpu:x").error().message,
              "unrecognized --cpu-bind argument \"map_cpu:x\": write cores, sockets, rank, none, "
              "map_cpu:0,1 or mask_cpu:0x1,0x2");
}

}  // namespace
}  // namespace berth
