#include "apps/berthd/listening.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

struct Case {
    std::string listen, api_listen, host, port;  // Options; SlurmctldHost, SlurmctldPort.
    std::string link, api, advertised;
};

ClusterSpec spec_of(const Case& one) {
    ClusterSpec spec;
    spec.settings = {{"SlurmctldHost[0]", one.host}, {"SlurmctldPort", one.port}};
    return spec;
}

TEST(Listening, IsWhatTheOptionSaysOrSlurmConf) {
    const std::vector<Case> cases = {
        {"10.0.0.1", "", "", "", "10.0.0.1:6817", "10.0.0.1:6820", "10.0.0.1:6820"},
        {"0.0.0.0:7000", "", "", "", "0.0.0.0:7000", "0.0.0.0:7003", "here:7003"},
        {"[::]:7000", "10.0.0.1:80", "", "", "[::]:7000", "10.0.0.1:80", "here:80"},
        {"config", "", "head", "", "0.0.0.0:6817", "0.0.0.0:6820", "head:6820"},
        {"config", "", "head(10.0.0.1)", "7000-7010", "0.0.0.0:7000", "0.0.0.0:7003",
         "10.0.0.1:7003"},
        {"config", "", "head(fd00::1)", "7000", "0.0.0.0:7000", "0.0.0.0:7003", "[fd00::1]:7003"},
        // A box of its own stays one.
        {"config", "", "localhost", "6817", "localhost:6817", "localhost:6820", "localhost:6820"},
    };
    for (const Case& one : cases) {
        const auto made = listening_of({.listen = one.listen, .api_listen = one.api_listen},
                                       spec_of(one), "here");
        ASSERT_TRUE(made.ok()) << one.listen << ": " << made.error().message;
        ASSERT_TRUE(*made);
        EXPECT_EQ(to_string((*made)->link), one.link);
        EXPECT_EQ(to_string((*made)->api), one.api);
        EXPECT_EQ(to_string((*made)->advertised), one.advertised);
    }
}

TEST(Listening, IsToNobodyUnlessItIsAskedFor) {
    const auto made = listening_of({}, spec_of({.host = "head", .port = "6817"}), "here");
    ASSERT_TRUE(made.ok());
    EXPECT_FALSE(*made);
}

TEST(Listening, RefusesWhatIsNoAddress) {
    for (const Case& one : std::vector<Case>{{.listen = ":1"},
                                             {.listen = "head:65535"},
                                             {.listen = "head:x"},
                                             {.listen = "config"},
                                             {.api_listen = "head:1"}}) {
        EXPECT_FALSE(
            listening_of({.listen = one.listen, .api_listen = one.api_listen}, spec_of(one), "here")
                .ok())
            << one.listen;
    }
}

}  // namespace
}  // namespace berth
