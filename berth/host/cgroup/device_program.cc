// The BPF back-end of DeviceGuard: a small program generated for each group and loaded with bpf(2)
// directly, so the node needs no compiler and no library.
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "berth/host/cgroup/device_guard.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/unique_fd.h"

namespace berth {
namespace {

using Program = std::vector<bpf_insn>;

bpf_insn instruction(int code, int to, int from, int offset, int number) {
    bpf_insn one{};
    one.code = static_cast<__u8>(code);
    one.dst_reg = static_cast<__u8>(to) & 15;
    one.src_reg = static_cast<__u8>(from) & 15;
    one.off = static_cast<__s16>(offset);
    one.imm = number;
    return one;
}

bpf_insn load_word(int to, int from, std::size_t offset) {
    return instruction(BPF_LDX | BPF_MEM | BPF_W, to, from, static_cast<int>(offset), 0);
}
bpf_insn copy(int to, int from) { return instruction(BPF_ALU | BPF_MOV | BPF_X, to, from, 0, 0); }
bpf_insn set(int to, int number) {
    return instruction(BPF_ALU | BPF_MOV | BPF_K, to, 0, 0, number);
}
bpf_insn arithmetic(int op, int to, int number) {
    return instruction(BPF_ALU | op | BPF_K, to, 0, 0, number);
}
// Skips the next `skip` instructions if the comparison holds.
bpf_insn jump_if(int comparison, int of, int number, int skip) {
    return instruction(BPF_JMP32 | comparison | BPF_K, of, 0, skip, number);
}
bpf_insn leave() { return instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0); }

// Registers: 2 kind of device, 3 requested access, 4 major, 5 minor.
void add_rule(Program& program, const DeviceRule& rule) {
    const int forbidden = rule.may_make_node ? 0 : BPF_DEVCG_ACC_MKNOD;
    const int kind = rule.kind == 'b' ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR;
    Program tests;
    tests.push_back(jump_if(BPF_JNE, 2, kind, 0));
    tests.push_back(jump_if(BPF_JSET, 3, forbidden, 0));
    tests.push_back(jump_if(BPF_JNE, 4, static_cast<int>(rule.major), 0));
    if (rule.minor) tests.push_back(jump_if(BPF_JNE, 5, static_cast<int>(*rule.minor), 0));
    for (std::size_t i = 0; i < tests.size(); ++i) {  // A failed test jumps to the next rule.
        tests[i].off = static_cast<__s16>(tests.size() - i - 1 + 2);
    }
    program.insert(program.end(), tests.begin(), tests.end());
    program.push_back(set(0, 1));
    program.push_back(leave());
}

Program program_of(std::span<const DeviceRule> allowed) {
    Program program;
    program.push_back(load_word(2, 1, offsetof(bpf_cgroup_dev_ctx, access_type)));
    program.push_back(copy(3, 2));
    program.push_back(arithmetic(BPF_AND, 2, 0xffff));
    program.push_back(arithmetic(BPF_RSH, 3, 16));
    program.push_back(load_word(4, 1, offsetof(bpf_cgroup_dev_ctx, major)));
    program.push_back(load_word(5, 1, offsetof(bpf_cgroup_dev_ctx, minor)));
    for (const DeviceRule& rule : allowed) add_rule(program, rule);
    program.push_back(set(0, 0));
    program.push_back(leave());
    return program;
}

int call_bpf(int command, bpf_attr& attributes) {
    return static_cast<int>(::syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

std::uint64_t address(const void* pointer) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(pointer));
}

Result<UniqueFd> load(const Program& program) {
    static constexpr char kLicense[] = "Apache-2.0";
    bpf_attr attributes{};
    attributes.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
    attributes.insns = address(program.data());
    attributes.insn_cnt = static_cast<__u32>(program.size());
    attributes.license = address(kLicense);
    std::memcpy(attributes.prog_name, "berth_devices", sizeof "berth_devices");
    UniqueFd fd(call_bpf(BPF_PROG_LOAD, attributes));
    if (!fd) return system_error("the kernel does not take the BPF program for devices", errno);
    return fd;
}

class BpfGuard : public DeviceGuard {
public:
    Status confine(const std::string& cgroup, std::span<const DeviceRule> allowed) override {
        const UniqueFd folder(::open(cgroup.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!folder) return system_error("cannot open " + cgroup, errno);
        BERTH_TRY(const UniqueFd program, load(program_of(allowed)));
        // All programs from the root down must agree, so a step's program can only narrow its
        // job's.
        bpf_attr attributes{};
        attributes.target_fd = static_cast<__u32>(folder.get());
        attributes.attach_bpf_fd = static_cast<__u32>(program.get());
        attributes.attach_type = BPF_CGROUP_DEVICE;
        attributes.attach_flags = BPF_F_ALLOW_MULTI;
        if (call_bpf(BPF_PROG_ATTACH, attributes) != 0) {
            return system_error("cannot attach the BPF program for devices to " + cgroup, errno);
        }
        return Done{};
    }
    DeviceBackend backend() const override { return DeviceBackend::bpf; }
};

}  // namespace

std::unique_ptr<DeviceGuard> make_bpf_device_guard() { return std::make_unique<BpfGuard>(); }

}  // namespace berth
