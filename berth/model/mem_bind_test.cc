#include "berth/model/mem_bind.h"

#include <gtest/gtest.h>

#include <string>

namespace berth {
namespace {

using Kind = MemBind::Kind;

TEST(MemBindOption, SaysWhoseMemoryIsUsed) {
    struct Case {
        const char* text;
        Kind kind;
        bool prefer;
        BindList nodes;
    };
    const Case cases[] = {
        {"", Kind::none, false, {}},
        {"none", Kind::none, false, {}},
        {"q,no", Kind::none, false, {}},
        {"local", Kind::local, false, {}},
        {"quiet,LOCAL", Kind::local, false, {}},
        {"prefer,local", Kind::local, true, {}},
        {"p,nosort,rank", Kind::rank, true, {}},
        {"map_mem:0,1*2,0x3", Kind::map, false, {{0}, {1}, {1}, {3}}},
        {"prefer,mask_mem:0x1,0x6", Kind::mask, true, {{0}, {1, 2}}},
    };
    for (const Case& one : cases) {
        const auto bind = MemBind::parse(one.text);
        ASSERT_TRUE(bind.ok()) << one.text << ": " << bind.error().message;
        EXPECT_EQ(bind->kind, one.kind) << one.text;
        EXPECT_EQ(bind->prefer, one.prefer) << one.text;
        EXPECT_EQ(bind->nodes, one.nodes) << one.text;
    }
}

TEST(MemBindOption, SaysWhatIsWrong) {
    for (const char* const text : {"nearby", "local,far", "map_mem:", "map_mem:0,x", "map_mem:1024",
                                   "mask_mem:0x0", "local:1", ","}) {
        const auto bind = MemBind::parse(text);
        ASSERT_FALSE(bind.ok()) << text;
        EXPECT_NE(bind.error().message.find("write local, rank, none, map_mem:0,1"),
                  std::string::npos)
            << bind.error().message;
    }
    for (const char* const text : {"verbose,local", "sort,local"})
        EXPECT_NE(MemBind::parse(text).error().message.find("not supported"), std::string::npos);
}

}  // namespace
}  // namespace berth
