// Usage and site factors set by administrators.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

SetUsage usage(std::string user, std::int64_t billing, std::string account = "physics") {
    return {{{.account = std::move(account), .user = std::move(user), .billing = billing}}};
}

class UsageCommand : public ::testing::Test {
protected:
    ControlRig rig{1};
};

TEST_F(UsageCommand, IsForAdministratorsAndRecorded) {
    EXPECT_EQ(why(rig.ask(kAnn, usage("ann", 5))), Refusal::not_allowed);
    EXPECT_TRUE(is_done(rig.ask(kRoot, usage("ann", 5))));
    ASSERT_EQ(rig.facts<UsageSet>().size(), 1U);
    EXPECT_EQ(rig.state().usage().records().back().used[kBillingUsage].whole, 5);
    EXPECT_TRUE(is_done(rig.ask(kRoot, usage("ann", 0))));
    EXPECT_EQ(rig.state().usage().records().back().used[kBillingUsage].whole, 0);
    rig.restart();  // Compares the hash of a replay.
}

TEST_F(UsageCommand, RefusesWhatCannotBe) {
    EXPECT_EQ(why(rig.ask(kRoot, usage("", 5))), Refusal::invalid_request);
    EXPECT_EQ(why(rig.ask(kRoot, usage("ann", -1))), Refusal::invalid_request);
    EXPECT_EQ(why(rig.ask(kRoot, usage(std::string(300, 'x'), 1))), Refusal::invalid_request);
    SetUsage many = usage("ann", 1);
    many.entries.resize(100'001, many.entries.front());
    EXPECT_EQ(why(rig.ask(kRoot, many)), Refusal::invalid_request);
    EXPECT_TRUE(rig.facts<UsageSet>().empty());
}

TEST_F(UsageCommand, SetsASiteFactorForOperatorsAlone) {
    const std::uint32_t id = rig.submit({.gpus = 8});
    UpdateJob update{.job = {JobId(id), {}}};
    update.change.site_factor = 700;
    EXPECT_EQ(why(rig.ask(kAnn, update)), Refusal::not_allowed);
    EXPECT_TRUE(is_done(rig.ask(kRoot, update)));
    EXPECT_EQ(rig.job(id).site_factor, 700);
}

}  // namespace
}  // namespace berth
