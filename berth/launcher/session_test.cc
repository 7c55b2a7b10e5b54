// A session over a real socket: what an agent may send, and what follows from it.
#include "berth/launcher/session.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "berth/base/codec.h"
#include "berth/launcher/gate_rig.h"
#include "berth/launcher/remote_node.h"
#include "berth/trust/trust_rig.h"
#include "berth/trust/unix_socket.h"

namespace berth {
namespace {

// A node that only reports what it is asked to do.
class SayingNode : public Node {
public:
    void act(HostAction action) override {
        if (const auto* start = std::get_if<StartAttempt>(&action)) {
            events.push_back(RunStarted{{start->launch.job, start->launch.attempt, kBatchStep}});
        }
        done.push_back(std::move(action));
    }
    std::vector<AgentEvent> take() { return std::exchange(events, {}); }
    std::vector<AgentEvent> events;
    std::vector<HostAction> done;
};

class Launcher {
public:
    explicit Launcher(std::uint32_t actions_known = kActionsKnown)
        : actions(actions_known), path_(folder_.path("l.sock")), listening_(*listen_on(path_)) {
        thread_ = std::thread([this] {
            pollfd waited{listening_, POLLIN, 0};
            poll(&waited, 1, -1);
            const int socket = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
            LauncherSession session(socket,
                                    {.gate = *rig.gate,
                                     .node = node,
                                     .node_events = silent_,
                                     .take_events = [this] { return node.take(); },
                                     .start_program =
                                         [this, &session](const RunNodeProgram& program) {
                                             programs.push_back(program);
                                             session.push(NodeProgramExited{program.program, ""});
                                         },
                                     .keep_keys = [this](const std::string& pem) -> Status {
                                         kept_keys = pem;
                                         return Done{};
                                     },
                                     .now = [this] { return rig.now; }},
                                    log_);
            status = session.run({.node = "gpu1",
                                  .alive = {{JobId{5}, Attempt{1}, kBatchStep}},
                                  .not_isolated = {"nothing is"},
                                  .keys = rig.gate->keys().ids(),
                                  .actions = actions});
            ::close(socket);
        });
    }
    ~Launcher() {
        end();
        ::close(listening_);
        ::close(silent_);
    }
    void end() {
        if (thread_.joinable()) thread_.join();
    }
    const std::string& path() const { return path_; }

    GateRig rig;
    SayingNode node;
    std::vector<RunNodeProgram> programs;
    Status status = Done{};
    std::string kept_keys;
    const std::uint32_t actions;

private:
    SilentLog log_;
    TrustFolder folder_;
    std::string path_;
    int listening_;
    int silent_ = eventfd(0, EFD_CLOEXEC);
    std::thread thread_;
};

std::vector<AgentEvent> wait_for(RemoteNode& node, std::size_t count) {
    std::vector<AgentEvent> all;
    while (all.size() < count && !node.lost()) {
        pollfd waited{node.fd(), POLLIN, 0};
        poll(&waited, 1, 10'000);
        for (AgentEvent& event : node.take_events()) all.push_back(std::move(event));
    }
    return all;
}

TEST(LauncherSession, GreetsObeysAndTells) {
    Launcher launcher;
    {
        auto node = RemoteNode::connect(launcher.path(), "gpu1");
        ASSERT_TRUE(node.ok()) << node.error().message;
        EXPECT_EQ((*node)->alive().size(), 1U);
        EXPECT_EQ((*node)->not_isolated().front(), "nothing is");
        const LaunchAttempt launch = launcher.rig.sign(launcher.rig.attempt());
        (*node)->act(StartAttempt{launch});
        const auto started = wait_for(**node, 1);
        ASSERT_EQ(started.size(), 1U);
        EXPECT_EQ(std::get<RunStarted>(started[0]).run.job, launch.job);
        (*node)->act(StartNodeProgram{
            launcher.rig.sign(RunNodeProgram{NodeProgram::health_check, "/bin/true", {}})});
        EXPECT_EQ(std::get<NodeProgramExited>(wait_for(**node, 1).at(0)).failure, "");
    }
    launcher.end();
    EXPECT_TRUE(launcher.status.ok());
    EXPECT_EQ(launcher.node.done.size(), 1U);
    EXPECT_EQ(launcher.programs.size(), 1U);
}

// The controller has a new key, signed with the known one.
TEST(LauncherSession, LearnsAKeyAndSaysByWhichItKnowsTheController) {
    Launcher launcher;
    const std::string first_id = launcher.rig.controller.id();
    {
        auto node = RemoteNode::connect(launcher.path(), "gpu1");
        ASSERT_TRUE(node.ok()) << node.error().message;
        EXPECT_EQ((*node)->launch_keys(), std::vector<std::string>{first_id});
        NodeSetup setup = launcher.rig.setup();
        launcher.rig.sign_setup(setup);
        (*node)->act(ConfigureNode{setup});
        (*node)->act(StartAttempt{launcher.rig.sign(launcher.rig.attempt())});
        ASSERT_EQ(wait_for(**node, 1).size(), 1U);
        EXPECT_EQ((*node)->launch_keys(), std::vector<std::string>{first_id});
    }
    launcher.end();
    EXPECT_TRUE(launcher.status.ok()) << launcher.status.error().message;
    EXPECT_EQ(launcher.kept_keys, launcher.rig.controller.public_keys());
    ASSERT_EQ(launcher.node.done.size(), 2U);
    EXPECT_EQ(std::get<ConfigureNode>(launcher.node.done[0]).setup.node.name, "gpu1");
}

TEST(LauncherSession, IsAskedForNothingThatAnOlderOneDoesNotKnow) {
    Launcher launcher(0);
    {
        auto node = RemoteNode::connect(launcher.path(), "gpu1");
        ASSERT_TRUE(node.ok()) << node.error().message;
        NodeSetup setup = launcher.rig.setup();
        launcher.rig.sign_setup(setup);
        (*node)->act(ConfigureNode{setup});
        (*node)->act(StartAttempt{launcher.rig.sign(launcher.rig.attempt())});
        ASSERT_EQ(wait_for(**node, 1).size(), 1U);
    }
    launcher.end();
    EXPECT_EQ(launcher.node.done.size(), 1U);
}

// A compromised agent: nothing that it makes up reaches the node.
TEST(LauncherSession, AnswersWhatItRefusesAndDoesNothing) {
    Launcher launcher;
    {
        auto node = RemoteNode::connect(launcher.path(), "gpu1");
        ASSERT_TRUE(node.ok()) << node.error().message;
        const GateRig& rig = launcher.rig;
        LaunchAttempt launch = rig.sign(rig.attempt());
        launch.owner.uid = 0;
        (*node)->act(StartAttempt{launch});
        (*node)->act(StartStep{rig.step(launch), launch});
        (*node)->act(rig.prolog(launch));
        (*node)->act(StartNodeProgram{{NodeProgram::reboot, "/tmp/evil", {}, ""}});
        const auto answers = wait_for(**node, 4);
        ASSERT_EQ(answers.size(), 4U);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_NE(std::get<RunFailedToStart>(answers[i]).why.find("refuses"),
                      std::string::npos);
            EXPECT_EQ(std::get<RunFailedToStart>(answers[i]).not_begun, NotBegun::for_node);
        }
        EXPECT_NE(std::get<NodeProgramExited>(answers[3]).failure, "");
    }
    launcher.end();
    EXPECT_TRUE(launcher.node.done.empty());
    EXPECT_TRUE(launcher.programs.empty());
}

class KeptLines : public LogSink {
public:
    void write(LogLevel level, std::string_view, std::string_view text) override {
        if (level == LogLevel::debug) (lines += text) += '\n';
    }
    std::string lines;
};

// An agent may send and exit; the launcher may even be told to stop before it has read.
TEST(LauncherSession, DoesWhatWasSaidBeforeTheAgentWentOrItWasStopped) {
    for (const bool stopped : {false, true}) {
        std::array<int, 2> ends{};
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        GateRig rig;
        SayingNode node;
        KeptLines log;
        const int silent = eventfd(0, EFD_CLOEXEC);
        LauncherSession session(ends[0],
                                {.gate = *rig.gate,
                                 .node = node,
                                 .node_events = silent,
                                 .take_events = [&node] { return node.take(); },
                                 .start_program = {},
                                 .now = [&rig] { return rig.now; }},
                                log);
        const std::string said = framed(encode(HostAction(StartAttempt{rig.sign(rig.attempt())})));
        ASSERT_EQ(send(ends[1], said.data(), said.size(), 0), static_cast<ssize_t>(said.size()));
        if (stopped) session.stop();
        if (!stopped) ::close(ends[1]);
        EXPECT_TRUE(session.run({.node = "gpu1"}).ok());
        EXPECT_EQ(node.done.size(), 1U);
        EXPECT_TRUE(log.lines.starts_with("starts job ")) << log.lines;
        ::close(ends[0]);
        ::close(silent);
        if (stopped) ::close(ends[1]);
    }
}

// Larger than any socket buffer, in both directions at once.
TEST(LauncherSession, CarriesWhatIsLarge) {
    Launcher launcher;
    {
        auto node = RemoteNode::connect(launcher.path(), "gpu1");
        ASSERT_TRUE(node.ok()) << node.error().message;
        for (std::uint32_t job = 1; job <= 3; ++job) {
            LaunchAttempt launch = launcher.rig.attempt(job);
            launch.share.devices = 0;
            launch.payload.script = std::string(4 << 20, 'x');
            (*node)->act(StartAttempt{launcher.rig.sign(launch)});
        }
        EXPECT_EQ(wait_for(**node, 3).size(), 3U);
    }
    launcher.end();
    ASSERT_EQ(launcher.node.done.size(), 3U);
    EXPECT_EQ(std::get<StartAttempt>(launcher.node.done[2]).launch.payload.script.size(),
              std::size_t{4} << 20);
}

TEST(LauncherSession, EndsWithWhoDoesNotKeepToTheProtocol) {
    for (const std::string& said : {std::string("\xff\xff\xff\xff"), framed("garbage")}) {
        Launcher launcher;
        const int socket = *connect_to(launcher.path());
        ASSERT_EQ(send(socket, said.data(), said.size(), 0), static_cast<ssize_t>(said.size()));
        launcher.end();
        EXPECT_FALSE(launcher.status.ok());
        ::close(socket);
        EXPECT_TRUE(launcher.node.done.empty());
    }
}

TEST(RemoteNode, KnowsThatItsLauncherIsGone) {
    const TrustFolder folder;
    const std::string path = folder.path("l.sock");
    const int listening = *listen_on(path);
    std::thread other([&] {
        pollfd waited{listening, POLLIN, 0};
        poll(&waited, 1, -1);
        const int socket = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
        const std::string hello = framed(encode(Greeting{.node = "gpu1"}));
        (void)!send(socket, hello.data(), hello.size(), 0);
        ::close(socket);
    });
    auto node = RemoteNode::connect(path, "gpu1");
    other.join();
    ASSERT_TRUE(node.ok()) << node.error().message;
    EXPECT_TRUE(wait_for(**node, 1).empty());
    EXPECT_TRUE((*node)->lost().has_value());
    (*node)->act(MeasureRuns{});  // Dropped without blocking.
    ::close(listening);
}

TEST(LauncherSession, EndsWhereItCannotWriteDownWhatItLetsIn) {
    Launcher launcher;
    launcher.rig.disk.full = true;
    {
        auto node = RemoteNode::connect(launcher.path(), "gpu1");
        ASSERT_TRUE(node.ok()) << node.error().message;
        (*node)->act(StartAttempt{launcher.rig.sign(launcher.rig.attempt())});
        const std::vector<AgentEvent> answers = wait_for(**node, 100);
        EXPECT_TRUE((*node)->lost());
        ASSERT_EQ(answers.size(), 1U) << "else the agent would ask the next one the same, for ever";
        EXPECT_EQ(std::get<RunFailedToStart>(answers[0]).not_begun, NotBegun::for_node);
    }
    launcher.end();
    EXPECT_FALSE(launcher.status.ok());
    EXPECT_TRUE(launcher.node.done.empty());
}

// Sends without reading until the launcher reads no more, or far more than it should accept.
std::size_t flood(int socket, const std::string& frame) {
    constexpr std::size_t kFarTooMuch = 64 << 20;
    std::size_t sent = 0;
    pollfd writable{socket, POLLOUT, 0};
    while (sent < kFarTooMuch && poll(&writable, 1, 1000) > 0) {
        // Continues where the last frame was cut.
        const std::string_view rest = std::string_view(frame).substr(sent % frame.size());
        const ssize_t put = send(socket, rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put < 0 && errno != EAGAIN) return kFarTooMuch;
        if (put > 0) sent += static_cast<std::size_t>(put);
    }
    return sent;
}

TEST(LauncherSession, ListensToNobodyWhoDoesNotReadItsAnswers) {
    Launcher launcher;
    {
        const Result<int> connected = connect_to(launcher.path());
        ASSERT_TRUE(connected.ok());
        const int socket = *connected;
        const GateRig& rig = launcher.rig;
        const std::string frame = framed(encode(HostAction(rig.prolog(rig.attempt()))));
        EXPECT_LT(flood(socket, frame), std::size_t{64 << 20});
        // Once it reads, the launcher reads from it again.
        std::array<char, 64 * 1024> room{};
        pollfd waited{socket, POLLIN, 0};
        std::size_t answered = 0;
        while (poll(&waited, 1, 1000) > 0) {
            const ssize_t got = recv(socket, room.data(), room.size(), MSG_DONTWAIT);
            if (got <= 0) break;
            answered += static_cast<std::size_t>(got);
        }
        EXPECT_GT(answered, 0U);
        pollfd writable{socket, POLLOUT, 0};
        EXPECT_EQ(poll(&writable, 1, 10'000), 1);
        ::close(socket);
    }
    launcher.end();
    EXPECT_TRUE(launcher.node.done.empty());
}

struct Envelope {
    std::string key, bytes, signature;
    BERTH_FIELDS(Envelope, key, bytes, signature)
};

TEST(LauncherSession, LogsLittleOfAKeyThatItDoesNotKnow) {
    GateRig rig;
    LaunchAttempt launch = rig.attempt();
    launch.credential = encode(Envelope{"ab\n\x1b[2J" + std::string(100'000, 'x'), "", ""});
    EXPECT_NE(rig.ask(StartAttempt{launch}).find("by key 'ab???2?"), std::string::npos);
    EXPECT_LT(rig.ask(StartAttempt{launch}).size(), 200U);
}

TEST(RemoteNode, RefusesALauncherOfAnotherNode) {
    Launcher launcher;
    const auto node = RemoteNode::connect(launcher.path(), "gpu2");
    ASSERT_FALSE(node.ok());
    EXPECT_NE(node.error().message.find("'gpu1'"), std::string::npos);
}

TEST(Frames, ComeOutAsTheyWentInHoweverTheyAreCut) {
    const std::string all = framed("one") + framed("") + framed("three");
    for (std::size_t cut = 1; cut <= all.size(); ++cut) {
        Frames frames;
        std::vector<std::string> got;
        for (std::size_t at = 0; at < all.size(); at += cut) {
            frames.add(std::string_view(all).substr(at, cut));
            while (auto frame = *frames.next()) got.push_back(*frame);
        }
        EXPECT_EQ(got, (std::vector<std::string>{"one", "", "three"}));
    }
}

}  // namespace
}  // namespace berth
