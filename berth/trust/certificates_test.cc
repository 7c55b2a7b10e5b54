#include "berth/trust/certificates.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "berth/trust/key_file.h"
#include "berth/trust/trust_rig.h"
#include "berth/trust/wall_time.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(Certificates, NoneOutlivesItsAuthority) {
    const Time now = from_seconds(1'800'000'000);
    const Authority authority = *Authority::make("lab", now);
    const auto ends_at = [&](Time made, Duration life) {
        return read_certificate(authority.certify_controller({}, made, life)->certificate)
            ->not_after;
    };
    EXPECT_EQ(ends_at(now, kControllerCertificateLife), now + kControllerCertificateLife);
    EXPECT_EQ(ends_at(now + std::chrono::hours(24), kAuthorityLife), now + kAuthorityLife);
}

TEST(Authority, NamesTheNodeAndTheEndOfItsCertificate) {
    const auto authority = Authority::make("lab", wall_time());
    ASSERT_TRUE(authority.ok()) << authority.error().message;
    const auto key = make_key();
    const auto request = make_request(*key, "another-name");
    const auto made = authority->certify_node(*request, "gpu1", from_seconds(1'800'000'000));
    ASSERT_TRUE(made.ok()) << made.error().message;
    const auto facts = read_certificate(*made);
    EXPECT_EQ(facts->name, "gpu1") << "and not what the request asks for";
    EXPECT_EQ(facts->not_after, from_seconds(1'800'000'000) + kNodeCertificateLife);
    EXPECT_EQ(read_certificate(authority->certificate())->name, "lab");
    EXPECT_EQ(authority->fingerprint().size(), 64u);
}

TEST(Authority, TakesNoRequestThatItsKeyHasNotSigned) {
    const auto authority = Authority::make("lab", wall_time());
    const auto key = make_key();
    std::string request = *make_request(*key, "gpu1");
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"", "no request"},
        {"-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n",
         "no request"},
        {*key, "no request"}};
    for (const auto& [text, why] : wrong) {
        const auto made = authority->certify_node(text, "gpu1", wall_time());
        ASSERT_FALSE(made.ok());
        EXPECT_NE(made.error().message.find(why), std::string::npos) << made.error().message;
    }
    request[request.size() - 45] =
        request[request.size() - 45] == 'A' ? 'B' : 'A';  // The signature.
    EXPECT_FALSE(authority->certify_node(request, "gpu1", wall_time()).ok());
}

TEST(Authority, TakesNoNameThatWouldSayMore) {
    const auto authority = Authority::make("lab", wall_time());
    const auto request = make_request(*make_key(), "n");
    for (const std::string name : {"", "a,DNS:berth-controller", "a b", "berth-controller"})
        EXPECT_FALSE(authority->certify_node(*request, name, wall_time()).ok()) << name;
}

TEST(Authority, IsTheSameWhenItIsOpenedAgainAndItsKeyIsItsOwners) {
    const TrustFolder folder;
    const auto first = Authority::open(folder.path("keys"), "lab", wall_time());
    ASSERT_TRUE(first.ok()) << first.error().message;
    const auto again = Authority::open(folder.path("keys"), "lab", wall_time());
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(first->fingerprint(), again->fingerprint());
    struct stat file{};
    ASSERT_EQ(stat(folder.path("keys/ca.key").c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777, 0600u);
}

TEST(Authority, RefusesAKeyThatOthersMayRead) {
    const TrustFolder folder;
    ASSERT_TRUE(Authority::open(folder.path("keys"), "lab", wall_time()).ok());
    chmod(folder.path("keys/ca.key").c_str(), 0640);
    const auto opened = Authority::open(folder.path("keys"), "lab", wall_time());
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().message.find("chmod 600"), std::string::npos)
        << opened.error().message;
}

TEST(Authority, RefusesTheKeyOfAnother) {
    const TrustFolder folder;
    ASSERT_TRUE(Authority::open(folder.path("keys"), "lab", wall_time()).ok());
    ASSERT_TRUE(write_secret_file(folder.path("keys/ca.key"), *make_key()).ok());
    EXPECT_FALSE(Authority::open(folder.path("keys"), "lab", wall_time()).ok());
}

TEST(KeyFile, FollowsNoLinkAndTellsWhatIsMissing) {
    const TrustFolder folder;
    ASSERT_TRUE(write_secret_file(folder.path("a"), "secret").ok());
    EXPECT_EQ(*read_secret_file(folder.path("a")), "secret");
    ASSERT_EQ(symlink(folder.path("a").c_str(), folder.path("b").c_str()), 0);
    EXPECT_FALSE(read_secret_file(folder.path("b")).ok());
    EXPECT_EQ(read_secret_file(folder.path("c")).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace berth
