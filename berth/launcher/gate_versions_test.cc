// The gate between versions, and across a change of the controller's key.
#include <gtest/gtest.h>

#include "berth/base/codec.h"
#include "berth/launcher/agreement.h"
#include "berth/launcher/gate_rig.h"
#include "berth/trust/secrets.h"

namespace berth {
namespace {

// A struct as a later version writes it: with more fields at the end.
std::string with_more_fields(const std::string& encoded) {
    return encode(*decode<std::string>(encoded) + encode(std::string("later")) + encode(7));
}

// The credential of an attempt, signed by a controller of a later version.
std::string later_credential(const GateRig& rig, const LaunchAttempt& launch) {
    const Warrant warrant{.node = "gpu1",
                          .boot_id = rig.boot_id,
                          .epoch = rig.epoch,
                          .issued = rig.now,
                          .expires = rig.now + kCredentialLife,
                          .payload = digest_of(launch.payload)};
    const std::string bytes =
        encode(encode(std::string("attempt")) + with_more_fields(encode(warrant)) +
               with_more_fields(encode(rig.bare(launch))) + encode(std::string("and more")));
    const std::string signature =
        rig.controller.sign("berth launch credential 1\n" + bytes, rig.controller.id());
    return encode(encode(rig.controller.id()) + encode(bytes) + encode(signature));
}

TEST(LaunchGateVersions, ReadsWhatALaterControllerHasSigned) {
    GateRig rig;
    LaunchAttempt launch = rig.attempt();
    launch.credential = later_credential(rig, launch);
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
    // Fields that are not decoded are covered by the signature all the same.
    launch = rig.attempt(8);
    launch.share.devices = 0;
    launch.credential = later_credential(rig, launch);
    const std::size_t more = launch.credential.rfind("and more");
    ASSERT_NE(more, std::string::npos);
    launch.credential[more] = 'A';
    EXPECT_TRUE(says(rig.ask(StartAttempt{launch}), "wrong signature"));
}

// The hash of a script and an environment; no version may compute another.
TEST(LaunchGateVersions, HashThePayloadAsAllOthersDo) {
    JobPayload payload;
    EXPECT_EQ(digest_of(payload), "");
    payload.script = "#!/bin/sh\ntrue\n";
    payload.environment = {"A=b", "HOME=/home/ann"};
    EXPECT_EQ(digest_of(payload), sha256_hex(std::string("\x24\x0f#!/bin/sh\ntrue\n\x02\x03"
                                                         "A=b\x0eHOME=/home/ann")));
}

TEST(LaunchGateVersions, AnOlderAgentLeavesOutWhatItDoesNotKnow) {
    GateRig rig;
    LaunchAttempt meant = rig.attempt();
    meant.more_variables = {"SLURM_HET_SIZE=2"};
    const LaunchAttempt launch = rig.sign(meant);
    LaunchAttempt asked = launch;
    asked.more_variables.clear();
    const auto done = rig.gate->admit(StartAttempt{asked}, rig.now);
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(std::get<StartAttempt>(*done).launch.more_variables, meant.more_variables);
}

struct Inner {
    int a = 0, b = 0;
    BERTH_FIELDS(Inner, a, b)
};
struct Outer {
    std::vector<Inner> inner;
    std::optional<Inner> maybe;
    int last = 0;
    BERTH_FIELDS(Outer, inner, maybe, last)
};

TEST(LaunchGateVersions, AgreeWhereOnlyTheLastFieldsAreLeftOut) {
    const Outer meant{{{1, 2}, {3, 4}}, Inner{5, 6}, 7};
    EXPECT_TRUE(agrees(meant, meant));
    EXPECT_TRUE(agrees(Outer{{{1, 2}, {3, 4}}, Inner{5, 6}, 0}, meant));
    EXPECT_TRUE(agrees(Outer{{{1, 2}, {3, 0}}, Inner{5, 0}, 7}, meant));
    EXPECT_FALSE(agrees(Outer{{{1, 2}, {0, 4}}, Inner{5, 6}, 7}, meant));
    EXPECT_FALSE(agrees(Outer{{{1, 2}}, Inner{5, 6}, 7}, meant));
    EXPECT_FALSE(agrees(Outer{{{1, 2}, {3, 4}}, std::nullopt, 7}, meant));
    EXPECT_FALSE(agrees(Outer{{{1, 2}, {3, 4}}, Inner{5, 6}, 8}, meant));
    EXPECT_FALSE(agrees(Outer{{}, std::nullopt, 7}, meant));
}

TEST(LaunchGateKeys, ComeFromTheControllerByAKeyThatIsKnown) {
    GateRig rig;
    const std::string next_key = *make_signing_key();
    const SigningKeys stranger = *SigningKeys::of(*make_signing_key());
    NodeSetup setup = rig.setup();
    rig.sign_setup(setup, stranger);
    EXPECT_TRUE(says(rig.ask(ConfigureNode{setup}), "by key"));
    // The new key is signed with the old one, for launchers that know only the old one.
    const SigningKeys both = *SigningKeys::of(next_key, rig.controller_key);
    setup = rig.setup();
    rig.sign_setup(setup, both, rig.gate->keys().ids());
    EXPECT_EQ(rig.ask(ConfigureNode{setup}), "");
    EXPECT_EQ(rig.gate->keys().ids().size(), 2U);
    const SigningKeys next = *SigningKeys::of(next_key);
    EXPECT_EQ(rig.ask(StartAttempt{rig.sign_with(next, rig.attempt(1))}), "");
}

TEST(LaunchGateKeys, AreForgottenButWhatCameInByThemGoesOn) {
    GateRig rig;
    const std::string next_key = *make_signing_key();
    const SigningKeys both = *SigningKeys::of(next_key, rig.controller_key);
    const SigningKeys next = *SigningKeys::of(next_key);
    const LaunchAttempt launch = rig.sign(rig.attempt());
    EXPECT_EQ(rig.ask(StartAttempt{launch}), "");
    NodeSetup first = rig.setup(), second = rig.setup();
    rig.sign_setup(first, both, rig.gate->keys().ids());
    EXPECT_EQ(rig.ask(ConfigureNode{first}), "");
    rig.now += std::chrono::seconds(1);
    rig.sign_setup(second, next);  // The old key is removed.
    EXPECT_EQ(rig.ask(ConfigureNode{second}), "");
    EXPECT_EQ(rig.gate->keys().ids(), std::vector<std::string>{next.id()});
    LaunchAttempt late = rig.attempt(8);
    late.share.devices = 0;
    EXPECT_TRUE(says(rig.ask(StartAttempt{rig.sign(late)}), "by key"));
    EXPECT_EQ(rig.ask(StartStep{rig.sign_with(next, rig.step(launch)), rig.bare(launch)}), "");
    EXPECT_EQ(rig.ask(rig.epilog(launch)), "");
    // An earlier message does not bring the old key back.
    EXPECT_TRUE(says(rig.ask(ConfigureNode{second}), "was obeyed before"));
    EXPECT_NE(rig.ask(ConfigureNode{first}), "");
}

TEST(LaunchGateKeys, TakeNoDescriptionOfAnotherNode) {
    GateRig rig;
    NodeSetup other = rig.setup("gpu2");
    rig.sign_setup(other);
    EXPECT_TRUE(says(rig.ask(ConfigureNode{other}), "describes node 'gpu2'"));
    NodeSetup altered = rig.setup();
    rig.sign_setup(altered);
    altered.node.name = "gpu1";
    altered.credential[altered.credential.size() / 2] ^= 1;
    EXPECT_NE(rig.ask(ConfigureNode{altered}), "");
    EXPECT_TRUE(says(rig.ask(ConfigureNode{rig.setup()}), "no credential"));
}

}  // namespace
}  // namespace berth
