#include "berth/host/cgroup/device_guard.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <filesystem>

#include "berth/host/cgroup/cgroup_rig.h"

namespace berth {
namespace {

// Device files with NVIDIA's numbers but no driver: EPERM shows isolation; ENXIO shows a device
// that may be opened and has no hardware.
class FakeDevices {
public:
    FakeDevices() {
        char name[] = "/tmp/berth-dev.XXXXXX";
        folder_ = mkdtemp(name);
        chmod(folder_.c_str(), 0755);
        for (unsigned i = 0; i < 4; ++i) {
            made_ &= mknod(file(i).c_str(), S_IFCHR | 0666, gnu_dev_makedev(195, i)) == 0;
            chmod(file(i).c_str(), 0666);
        }
    }
    ~FakeDevices() { std::filesystem::remove_all(folder_); }
    std::string file(unsigned i) const { return folder_ + "/nvidia" + std::to_string(i); }
    bool made() const { return made_; }

private:
    std::string folder_;
    bool made_ = true;
};

int errno_of_open(const std::string& file) {
    return open(file.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC) >= 0 ? 0 : errno;
}

struct Backend {
    Hierarchies hierarchies;
    const char* name;
};

class EachBackend : public ::testing::TestWithParam<Backend> {
protected:
    EachBackend() : rig(GetParam().hierarchies) {}

    std::unique_ptr<DeviceGuard> guard() const {
        return v1() ? make_v1_device_guard() : make_bpf_device_guard();
    }
    bool v1() const { return GetParam().hierarchies == Hierarchies::v1_only; }
    std::string folder(const Cgroup& group) const {
        return v1() ? group.v1.at("devices") : group.unified;
    }
    std::string missing() const {
        if (const std::string why = rig.missing(); !why.empty()) return why;
        if (v1() && !rig.tree.has("devices")) return "the v1 devices controller is not mounted";
        return devices.made() ? "" : "mknod is not allowed here";
    }
    void confine(const Cgroup& group, std::initializer_list<unsigned> gpus) {
        std::vector<DeviceRule> rules = usual_devices();
        for (const unsigned gpu : gpus) rules.push_back(*rule_for(devices.file(gpu)));
        const Status created = rig.tree.create(group);
        ASSERT_TRUE(created.ok()) << created.error().message;
        const Status confined = guard()->confine(folder(group), rules);
        ASSERT_TRUE(confined.ok()) << confined.error().message;
    }
    int open_in(const Cgroup& group, const std::string& file) const {
        return CgroupRig::run(group, [&] { return errno_of_open(file); });
    }

    CgroupRig rig;
    FakeDevices devices;
};

TEST_P(EachBackend, LetsAJobOpenItsOwnGpusOnly) {
    if (const std::string why = missing(); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why;
    ASSERT_EQ(errno_of_open(devices.file(3)), ENXIO);  // Outside.
    confine(rig.job, {2});
    EXPECT_EQ(open_in(rig.job, devices.file(2)), ENXIO);
    EXPECT_EQ(open_in(rig.job, devices.file(3)), EPERM);
    EXPECT_EQ(open_in(rig.job, devices.file(0)), EPERM);
    for (const char* file : {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/ptmx", "/dev/full"}) {
        EXPECT_EQ(open_in(rig.job, file), 0) << file;
    }
    EXPECT_EQ(open_in(rig.job, "/dev/kmsg"), EPERM);
}

TEST_P(EachBackend, HoldsForUsersAndForNewDeviceFiles) {
    if (const std::string why = missing(); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why;
    confine(rig.job, {2});
    const auto as_nobody = [&](const std::string& file) {
        return CgroupRig::run(rig.job, [&] {
            if (setgroups(0, nullptr) != 0 || setresgid(65534, 65534, 65534) != 0 ||
                setresuid(65534, 65534, 65534) != 0) {
                return 210;
            }
            return errno_of_open(file);
        });
    };
    EXPECT_EQ(as_nobody(devices.file(2)), ENXIO);
    EXPECT_EQ(as_nobody(devices.file(3)), EPERM);
    const std::string own = devices.file(9);
    EXPECT_EQ(CgroupRig::run(rig.job,
                             [&] {
                                 return mknod(own.c_str(), S_IFCHR | 0666,
                                              gnu_dev_makedev(195, 3)) == 0
                                            ? 0
                                            : errno;
                             }),
              EPERM);
}

TEST_P(EachBackend, NarrowsAStepWithinItsJobAndNeverWidensIt) {
    if (const std::string why = missing(); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why;
    confine(rig.job, {1, 2});
    const Cgroup step = CgroupTree::step(rig.job, StepId{0});
    confine(step, {1});
    EXPECT_EQ(open_in(step, devices.file(1)), ENXIO);
    EXPECT_EQ(open_in(step, devices.file(2)), EPERM);
    const Cgroup wider = CgroupTree::step(rig.job, StepId{1});
    ASSERT_TRUE(rig.tree.create(wider).ok());
    const std::vector<DeviceRule> rules = {*rule_for(devices.file(3))};
    // v1 refuses the wider rules; BPF programs are combined.
    (void)guard()->confine(folder(wider), rules);
    EXPECT_EQ(open_in(wider, devices.file(3)), EPERM);
}

INSTANTIATE_TEST_SUITE_P(DeviceGuard, EachBackend,
                         ::testing::Values(Backend{Hierarchies::v1_only, "V1RulesOnly"},
                                           Backend{Hierarchies::v2_only, "BpfProgramOnly"}),
                         [](const auto& which) { return which.param.name; });

TEST(DeviceGuardV1, ListsTheGrantedGpusAndNoOther) {
    CgroupRig rig(Hierarchies::v1_only);
    FakeDevices devices;
    BERTH_SKIP_UNLESS_USABLE(rig);
    if (!rig.tree.has("devices") || !devices.made()) GTEST_SKIP() << "SKIPPED: no v1 devices";
    ASSERT_TRUE(rig.tree.create(rig.job).ok());
    std::vector<DeviceRule> rules = usual_devices();
    rules.push_back(*rule_for(devices.file(2)));
    ASSERT_TRUE(make_v1_device_guard()->confine(rig.job.v1.at("devices"), rules).ok());
    const std::string list = *read_file(rig.job.v1.at("devices") + "/devices.list");
    EXPECT_NE(list.find("c 195:2 rw"), std::string::npos) << list;
    EXPECT_EQ(list.find("c 195:3"), std::string::npos) << list;
    EXPECT_EQ(list.find("a *:*"), std::string::npos) << list;
}

TEST(DeviceRule, IsWrittenAsTheKernelReadsIt) {
    EXPECT_EQ((DeviceRule{'c', 195, 3, false}).to_text(), "c 195:3 rw");
    EXPECT_EQ((DeviceRule{'b', 8, std::nullopt, true}).to_text(), "b 8:* rwm");
}

TEST(DeviceRule, SaysWhatIsNoDevice) {
    EXPECT_EQ(rule_for("/tmp").error().message, "/tmp is not a device file");
    EXPECT_EQ(rule_for("/dev/nvidia77").error().message,
              "no device file /dev/nvidia77 on this node: No such file or directory");
    EXPECT_EQ(rule_for("/dev/null")->to_text(), "c 1:3 rw");
}

}  // namespace
}  // namespace berth
