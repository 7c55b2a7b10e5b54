// Tests with the real PAM and our own service files.
#include "berth/host/os/account_check.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>

#include "berth/host/node/linux_node_rig.h"

namespace berth {
namespace {

bool has_pam() {
    void* const library = ::dlopen("libpam.so.0", RTLD_NOW);
    return library != nullptr && ::dlsym(library, "pam_start_confdir") != nullptr;
}

class AccountCheckTest : public ::testing::Test, public LinuxNodeRig {
protected:
    void SetUp() override {
        if (!is_root() || !has_pam()) GTEST_SKIP() << "SKIPPED: needs root, and libpam 1.4";
        service("open", "account required pam_permit.so\n");
        service("closed", "account required pam_deny.so\n");
        service("staff", "account required pam_succeed_if.so quiet user = daemon\n");
    }
    void service(const std::string& name, const std::string& text) const {
        std::ofstream(folder + "/" + name) << text;
    }
    AccountCheck check(const std::string& name) const { return {name, folder}; }
};

TEST_F(AccountCheckTest, SaysWhomPamLetsIn) {
    EXPECT_TRUE(check_account(check("open"), "nobody").ok());
    const Status closed = check_account(check("closed"), "nobody");
    ASSERT_FALSE(closed.ok());
    EXPECT_EQ(closed.error().code, ErrorCode::permission_denied);
    EXPECT_NE(closed.error().message.find("does not let nobody run jobs"), std::string::npos);
    EXPECT_TRUE(check_account(check("staff"), "daemon").ok());
    EXPECT_FALSE(check_account(check("staff"), "nobody").ok());
}

TEST_F(AccountCheckTest, AsksNobodyWithoutAService) {
    EXPECT_TRUE(check_account({}, "nobody").ok());
    EXPECT_TRUE(check_account({}, "nobody", "no-such-library.so").ok());
}

TEST_F(AccountCheckTest, RefusesWherePamIsNotThere) {
    const Status none = check_account(check("open"), "nobody", "no-such-library.so");
    ASSERT_FALSE(none.ok());
    EXPECT_NE(none.error().message.find("no libpam.so.0"), std::string::npos);
}

TEST_F(AccountCheckTest, KeepsAJobFromStarting) {
    options.account_check = check("closed");
    open();
    LaunchAttempt launch = job(1, "touch ran");
    launch.confinement.use_pam = true;
    start(launch);
    EXPECT_NE(wait<RunFailedToStart>(batch(1)).why.find("PAM (service closed)"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(work + "/ran"));
}

TEST_F(AccountCheckTest, AsksNobodyAboutAJobWhoseConfigurationDoesNotSaySo) {
    options.account_check = check("closed");
    open();
    start(job(1, "touch ran; sleep 100"));
    wait<RunStarted>(batch(1));
    EXPECT_TRUE(wait_for_file(work + "/ran"));
}

TEST_F(AccountCheckTest, LetsAJobAndItsStepStartThatPamAllows) {
    options.account_check = check("open");
    open();
    LaunchAttempt launch = job(1, "touch ran; sleep 100");
    launch.confinement.use_pam = true;
    start(launch);
    wait<RunStarted>(batch(1));
    node->act(StartStep{step(launch, 0, 1, "touch step"), launch});
    EXPECT_TRUE(wait_for_file(work + "/ran"));
    EXPECT_TRUE(wait_for_file(work + "/step"));
}

}  // namespace
}  // namespace berth
