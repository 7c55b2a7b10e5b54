// srun's side of a step's connections: who may keep it busy, and what it does by the clock.
#include "berth/slurm/step/step_listener.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "berth/model/exit_status.h"
#include "berth/slurm/step/step_attachment.h"

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;

int connect_to(const std::string& address) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port =
        htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    return fd;
}

void write_all(int fd, const std::string& bytes) {
    EXPECT_EQ(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
}

std::string hello_of(const std::string& token) {
    return encode_hello({.token = token, .node_index = 0, .ranks = {0}});
}

TEST(StepListener, RefusesAddressesThatEveryHostHasForItself) {
    for (const char* host : {"", "127.0.0.1", "127.1.2.3", "localhost", "::1", "[::1]", "fe80::1",
                             "fe80::1%eth0", "[FE80::2]", "febf::1", "::ffff:127.0.0.1"})
        EXPECT_FALSE(StepListener::is_found_at(host)) << host;
    for (const char* host : {"10.0.0.1", "head", "2001:db8::1", "[2001:db8::1]", "fec0::1",
                             "fd00::1", "::ffff:10.0.0.1", "fe80.example.org"})
        EXPECT_TRUE(StepListener::is_found_at(host)) << host;
}

// Of the process's CPU time.
std::chrono::milliseconds cpu_used() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return std::chrono::seconds(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           std::chrono::milliseconds((used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000);
}

// srun in a process of its own, with few descriptors and one node to wait for. What it exits with:
// 0 if all went well, 1 if it gave up, 2 if it was busy with nothing.
class FewDescriptors : public ::testing::Test {
protected:
    FewDescriptors() {
        int ends[2];
        EXPECT_EQ(pipe(ends), 0);
        child_ = fork();
        if (child_ == 0) {
            const rlimit few{.rlim_cur = 24, .rlim_max = 24};
            setrlimit(RLIMIT_NOFILE, &few);
            auto listener = StepListener::open();
            const std::string said = listener->address() + " " + listener->token() + "\n";
            (void)!write(ends[1], said.data(), said.size());
            int idle = 0;
            const bool done = listener->run(1, false,
                                            {.frame = [](const StepFrame&, std::uint32_t) {},
                                             .signal = [](int) {},
                                             .tick = [] {},
                                             .idle = [&] { return ++idle < 30; }});
            _exit(!done ? 1 : cpu_used() > 900ms ? 2 : 0);
        }
        close(ends[1]);
        std::string said(256, '\0');
        said.resize(static_cast<std::size_t>(read(ends[0], said.data(), said.size())));
        close(ends[0]);
        address_ = said.substr(0, said.find(' '));
        token_ = said.substr(said.find(' ') + 1, 32);
    }
    int exit_code() {
        int status = 0;
        EXPECT_EQ(waitpid(child_, &status, 0), child_);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    pid_t child_ = -1;
    std::string address_, token_;
};

TEST_F(FewDescriptors, StrangersWhoSayNothingKeepNoNodeOut) {
    std::vector<int> strangers(60);
    for (int& stranger : strangers) stranger = connect_to(address_);
    std::this_thread::sleep_for(1500ms);
    const int node = connect_to(address_);
    write_all(node, hello_of(token_) + encode_exit(0, ExitStatus{}));
    EXPECT_EQ(exit_code(), 0);
    for (const int fd : strangers) close(fd);
    close(node);
}

TEST(StepListener, TicksWhileATaskWrites) {
    auto listener = StepListener::open();
    ASSERT_TRUE(listener.ok()) << listener.error().message;
    std::atomic<bool> over = false;
    std::thread node([&, address = listener->address(), token = listener->token()] {
        const int fd = connect_to(address);
        write_all(fd, hello_of(token));
        while (!over) {
            write_all(fd, encode_frame(StepFrameKind::standard_out, 0, "x"));
            std::this_thread::sleep_for(50ms);
        }
        write_all(fd, encode_exit(0, ExitStatus{}));
        close(fd);
    });
    int frames = 0;
    const auto begun = std::chrono::steady_clock::now();
    const bool done = listener->run(1, false,
                                    {.frame = [&](const StepFrame&, std::uint32_t) { ++frames; },
                                     .signal = [](int) {},
                                     .tick = [&] { over = true; },
                                     .idle = [] { return false; }});
    EXPECT_TRUE(done);
    EXPECT_GT(frames, 1);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 20s);
    over = true;
    node.join();
}

// sattach, beside the one node that a step has.
// Standard input at which nobody types, whatever the tests run with.
class QuietInput {
public:
    QuietInput() : before_(dup(STDIN_FILENO)) {
        EXPECT_EQ(pipe(ends_), 0);
        dup2(ends_[0], STDIN_FILENO);
    }
    ~QuietInput() {
        dup2(before_, STDIN_FILENO);
        for (const int fd : {before_, ends_[0], ends_[1]}) close(fd);
    }
    QuietInput(const QuietInput&) = delete;
    QuietInput& operator=(const QuietInput&) = delete;

private:
    const int before_;
    int ends_[2] = {-1, -1};
};

TEST(StepListener, ShowsWhoLooksOnWhatTasksWriteAndTakesWhatHeTypes) {
    const QuietInput input;
    auto listener = StepListener::open();
    ASSERT_TRUE(listener.ok()) << listener.error().message;
    std::string typed, seen;
    std::thread node([&, address = listener->address(), token = listener->token()] {
        const int fd = connect_to(address);
        write_all(fd, hello_of(token));
        auto attached = StepAttachment::to(address, token);
        ASSERT_TRUE(attached.ok()) << attached.error().message;
        ASSERT_TRUE(attached->send_input(0, "hello"));
        char bytes[4096];
        StepFrameReader reader;
        while (typed != "hello") {
            const ssize_t got = read(fd, bytes, sizeof bytes);
            if (got <= 0) break;
            reader.add({bytes, static_cast<std::size_t>(got)});
            while (const auto frame = *reader.next()) typed += frame->bytes;
        }
        write_all(fd, encode_frame(StepFrameKind::standard_out, 0, "answer"));
        auto heard = attached->wait(-1);
        if (heard.frame) seen = heard.frame->bytes;
        write_all(fd, encode_exit(0, exit_by_code(7)));
        heard = attached->wait(-1);
        if (heard.frame) seen += " " + std::to_string(read_exit(*heard.frame)->code);
        EXPECT_TRUE(attached->wait(-1).over);
        close(fd);
    });
    std::string own;
    const bool done =
        listener->run(1, true,
                      {.frame = [&](const StepFrame& frame, std::uint32_t) { own += frame.bytes; },
                       .signal = [](int) {},
                       .tick = [] {},
                       .idle = [] { return true; }});
    EXPECT_TRUE(done);
    {
        const auto gone = std::move(listener);  // So that who looks on sees the end.
    }
    node.join();
    EXPECT_EQ(typed, "hello");
    EXPECT_EQ(seen, "answer 7");
    EXPECT_TRUE(own.starts_with("answer"));
}

TEST(StepListener, LetsNobodyLookOnWithoutTheToken) {
    auto listener = StepListener::open();
    ASSERT_TRUE(listener.ok()) << listener.error().message;
    std::thread node([&, address = listener->address(), token = listener->token()] {
        auto stranger = StepAttachment::to(address, std::string(32, '0'));
        ASSERT_TRUE(stranger.ok());
        EXPECT_TRUE(stranger->wait(-1).over);
        const int fd = connect_to(address);
        write_all(fd, hello_of(token) + encode_exit(0, ExitStatus{}));
        close(fd);
    });
    EXPECT_TRUE(listener->run(1, false,
                              {.frame = [](const StepFrame&, std::uint32_t) {},
                               .signal = [](int) {},
                               .tick = [] {},
                               .idle = [] { return true; }}));
    node.join();
}

TEST(StepListener, MayHaveAsManyDescriptorsAsTheSystemGives) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit less = before;
    less.rlim_cur = std::min<rlim_t>(before.rlim_max, 64);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &less), 0);
    ASSERT_TRUE(StepListener::open().ok());
    rlimit after{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
    EXPECT_EQ(after.rlim_cur, before.rlim_max);
    setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace berth::slurm
