#include "berth/base/hostlist.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/base/text.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

TEST(Hostlist, ExpandsEveryFormSlurmReads) {
    struct Case {
        const char* list;
        const char* hosts;
    };
    // clang-format off
    const Case cases[] = {
        {"gpu1",                 "gpu1"},
        {"gpu[1-3]",             "gpu1 gpu2 gpu3"},
        {"gpu[08-10]",           "gpu08 gpu09 gpu10"},
        {"gpu[1,3-4]",           "gpu1 gpu3 gpu4"},
        {"gpu[1-2]-ib",          "gpu1-ib gpu2-ib"},
        {"r[1-2]g[1-2]",         "r1g1 r1g2 r2g1 r2g2"},
        {"a[1-2],login,b[7]",    "a1 a2 login b7"},
        {"a1, a2\tb1",           "a1 a2 b1"},
        {"a2,a1,a2",             "a2 a1 a2"},
        {",a1,,",                "a1"},
        {"[1-3]",                "1 2 3"},
        {"",                     ""},
    };
    // clang-format on
    for (const Case& c : cases) {
        const auto hosts = expand_hostlist(c.list);
        ASSERT_TRUE(hosts.ok()) << c.list << ": " << hosts.error().message;
        EXPECT_EQ(join(*hosts, " "), c.hosts) << c.list;
    }
}

TEST(Hostlist, RefusesTheRestAndSaysWhy) {
    struct Case {
        const char* list;
        const char* why;
    };
    // clang-format off
    const Case cases[] = {
        {"gpu[1-3",              "without its ]"},
        {"gpu1]",                "without its ["},
        {"gpu[]",                "not a number"},
        {"gpu[1-]",              "not a number"},
        {"gpu[a-b]",             "not a number"},
        {"gpu[1-2-3]",           "not a number"},
        {"gpu[[1]]",             "not a number"},
        {"gpu[3-1]",             "backwards"},
        {"gpu[1-99999999]",      "more than 65536"},
        {"a[1-300]b[1-300]",     "more than 65536"},
        {"a[1-40000],b[1-40000]", "more than 65536"},
        {"a[0-999999999999999999999]", "not a number"},
    };
    // clang-format on
    for (const Case& c : cases) {
        const auto hosts = expand_hostlist(c.list);
        ASSERT_FALSE(hosts.ok()) << c.list;
        EXPECT_EQ(hosts.error().code, ErrorCode::invalid_argument);
        EXPECT_NE(hosts.error().message.find(c.why), std::string::npos) << hosts.error().message;
    }
    EXPECT_EQ(expand_hostlist("a[1-65536]")->size(), kHostsMax);
}

TEST(Hostlist, CompressesAsSlurmDoes) {
    struct Case {
        std::vector<std::string> hosts;
        const char* list;
    };
    // clang-format off
    const Case cases[] = {
        {{},                                     ""},
        {{"gpu1"},                               "gpu1"},
        {{"gpu3", "gpu1", "gpu2", "gpu2"},       "gpu[1-3]"},
        {{"gpu7", "gpu1", "gpu2", "gpu3"},       "gpu[1-3,7]"},
        {{"gpu10", "gpu9"},                      "gpu[9-10]"},
        {{"gpu10", "gpu09", "gpu08"},            "gpu[08-10]"},
        {{"gpu099", "gpu100"},                   "gpu[099-100]"},
        {{"gpu9", "gpu010"},                     "gpu[9,010]"},
        {{"login", "gpu2", "gpu1"},              "gpu[1-2],login"},
        {{"r2g1", "r1g2", "r1g1", "r10g1"},      "r1g[1-2],r2g1,r10g1"},
        {{"a1-ib", "a2-ib"},                     "a1-ib,a2-ib"},
        {{"gpu", "gpu1"},                        "gpu,gpu1"},
        {{"1", "2"},                             "[1-2]"},
    };
    // clang-format on
    for (const Case& c : cases) EXPECT_EQ(compress_hostlist(c.hosts), c.list);
}

TEST(Hostlist, KeepsTheOrderThatMatters) {
    const std::vector<std::string> hosts = {"gpu3", "gpu1", "gpu2", "login", "gpu4"};
    EXPECT_EQ(compress_hostlist_in_order(hosts), "gpu[3,1-2],login,gpu4");
}

TEST(Hostlist, ExpandsToExactlyWhatWasCompressed) {
    testing::for_each_seed(300, [](Rng& rng) {
        const std::vector<std::string> stems = {"gpu", "g-", "r1n", "r01n", "r2n", "x9y", ""};
        std::vector<std::string> hosts;
        for (std::int64_t i = rng.between(0, 40); i > 0; --i) {
            std::string digits = std::to_string(rng.between(0, 120));
            if (rng.chance(30)) digits.insert(0, static_cast<std::size_t>(rng.between(1, 2)), '0');
            hosts.push_back(rng.pick(stems) + digits);
        }
        const std::string in_order = compress_hostlist_in_order(hosts);
        EXPECT_EQ(expand_hostlist(in_order).value(), hosts) << in_order;

        std::ranges::sort(hosts, host_before);
        hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
        EXPECT_EQ(expand_hostlist(compress_hostlist(hosts)).value(), hosts);
    });
}

}  // namespace
}  // namespace berth
