#include "berth/server/http/http_server.h"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/server/http/server_rig.h"

namespace berth {
namespace {

TEST_F(ServerRig, ListensForEveryoneAndTakesItsSocketAway) {
    start();
    struct stat found{};
    ASSERT_EQ(::stat(options.socket.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777, 0666U);
    EXPECT_EQ(call("GET", "/healthz").body, R"({"ok":true})");
    server->stop();
    EXPECT_NE(::stat(options.socket.c_str(), &found), 0);
}

TEST_F(ServerRig, TakesTheSocketOfADeadControllerAndNotThatOfALiveOne) {
    start();
    auto second = HttpServer::start(options, controller, read_model, archive, log);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, ErrorCode::already_exists);
    EXPECT_EQ(call("GET", "/healthz").status, 200) << "the live one is left alone";
    server.reset();
    {
        const int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        options.socket.copy(address.sun_path, sizeof address.sun_path - 1);
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
        ASSERT_EQ(::bind(dead, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        ::close(dead);
    }
    start();
    EXPECT_EQ(call("GET", "/healthz").status, 200);
}

// The names that appear in this folder during the action, and how: made there or moved there.
template <class Action>
std::vector<std::pair<std::string, bool>> names_appearing(const std::string& folder,
                                                          Action&& action) {
    const int watch = ::inotify_init1(IN_NONBLOCK);
    EXPECT_GE(::inotify_add_watch(watch, folder.c_str(), IN_CREATE | IN_MOVED_TO), 0);
    std::forward<Action>(action)();
    alignas(inotify_event) char room[4096];  // NOLINT(modernize-avoid-c-arrays)
    std::vector<std::pair<std::string, bool>> names;
    const auto got =
        static_cast<std::size_t>(std::max<ssize_t>(0, ::read(watch, room, sizeof room)));
    for (std::size_t at = 0; at < got;) {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
        const auto* const event = reinterpret_cast<const inotify_event*>(room + at);
        names.emplace_back(event->name, (event->mask & IN_MOVED_TO) != 0);
        at += sizeof *event + event->len;
    }
    ::close(watch);
    return names;
}

TEST_F(ServerRig, ItsSocketIsFoundOnlyOnceOthersMayConnect) {
    const std::filesystem::path socket = options.socket;
    const auto names = names_appearing(socket.parent_path(), [&] { start(); });
    int moved = 0;
    for (const auto& [name, is_moved] : names) {
        if (name != socket.filename()) continue;
        EXPECT_TRUE(is_moved) << "it was there before it was ready";
        ++moved;
    }
    EXPECT_EQ(moved, 1);
    EXPECT_EQ(call("GET", "/healthz").status, 200);
}

TEST_F(ServerRig, KnowsItsCallerFromTheKernel) {
    start();
    EXPECT_EQ(call("POST", "/v1/jobs", "{}").status, 201);
    const Principal root = controller.last().principal;
    EXPECT_EQ(root.uid, ::getuid());
    EXPECT_EQ(root.role, Role::admin);
    if (::getuid() != 0) GTEST_SKIP() << "needs root to be somebody else";
    ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
    // The kernel tells who connected: the thread's credentials at that moment.
    for (const auto& [uid, user, role] :
         {std::tuple{5U, "games", Role::op}, std::tuple{65534U, "nobody", Role::user},
          std::tuple{54321U, "54321", Role::user}}) {
        ASSERT_EQ(::setegid(1), 0);
        ASSERT_EQ(::seteuid(uid), 0);
        RawClient client(options.socket);
        ASSERT_EQ(::seteuid(0), 0);
        ASSERT_EQ(::setegid(0), 0);
        ASSERT_TRUE(client.connected());
        EXPECT_EQ(client.call("POST", "/v1/jobs", "{}").status, 201);
        const Principal principal = controller.last().principal;
        EXPECT_EQ(principal.uid, uid);
        EXPECT_EQ(principal.gid, 1U);
        EXPECT_EQ(principal.user, user);
        EXPECT_EQ(principal.group, "daemon");
        EXPECT_EQ(principal.role, role);
    }
}

TEST_F(ServerRig, ServesAThousandRequestsOnOneConnection) {
    start();
    RawClient client(options.socket);
    for (int i = 0; i < 1000; ++i) {
        const Heard heard =
            i % 2 == 0 ? client.call("GET", "/v1/ping") : client.call("POST", "/v1/jobs/1/cancel");
        ASSERT_EQ(heard.status, 200) << i << heard.head;
    }
    EXPECT_EQ(controller.asked(), 500U);
}

TEST_F(ServerRig, AnswersRequestsThatCameTogetherOneAfterTheOther) {
    start();
    RawClient client(options.socket);
    const std::string one = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    ASSERT_TRUE(client.send(one + one + one));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.read().status, 200);
}

TEST_F(ServerRig, RefusesGarbageAndCloses) {
    start();
    for (const std::string& garbage :
         {std::string("garbage\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
          std::string("GET /healthz HTTP/1.1\r\nno colon\r\n\r\n"),
          std::string("\0\1\2\3\r\n\r\n", 8),
          std::string("POST /v1/jobs HTTP/1.1\r\nContent-Length: -4\r\n\r\n"),
          std::string("POST /v1/jobs HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")}) {
        RawClient client(options.socket);
        ASSERT_TRUE(client.send(garbage));
        const Heard heard = client.read();
        EXPECT_EQ(heard.status, 400) << garbage << heard.head;
        EXPECT_EQ(heard.text("code"), "bad_request") << heard.body;
        EXPECT_TRUE(client.closed_within(2000)) << garbage;
    }
    EXPECT_EQ(call("GET", "/healthz").status, 200);
    EXPECT_EQ(controller.asked(), 0U);
}

TEST_F(ServerRig, HasLimitsOnHeaderAndBody) {
    start();
    RawClient long_header(options.socket);
    (void)long_header.send("GET /healthz HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n");
    EXPECT_EQ(long_header.read().status, 431);
    RawClient long_body(options.socket);
    (void)long_body.send("POST /v1/jobs HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n");
    EXPECT_EQ(long_body.read().status, 413);
    RawClient endless(options.socket);
    (void)endless.send("POST /v1/jobs HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "100000\r\n" + std::string(0x100000, ' ') + "\r\n";
    for (int i = 0; i < 10 && endless.send(chunk); ++i) {
    }
    EXPECT_EQ(endless.read().status, 413);
}

TEST_F(ServerRig, TakesAScriptOfFiveMegabytes) {
    start();
    controller.answer = Submitted{JobId(7), {"slow down"}};
    const std::string script(5 << 20, 'x');
    const Heard heard = call("POST", "/v1/jobs", R"({"payload":{"script":")" + script + R"("}})");
    EXPECT_EQ(heard.status, 201);
    EXPECT_EQ(heard.body, R"({"job":7,"warnings":["slow down"],"messages":[]})");
    EXPECT_EQ(std::get<SubmitJob>(controller.last().command).payload.script.size(), script.size());
}

TEST_F(ServerRig, GoesOnWhenAClientWaitsToBeTold) {
    start();
    RawClient client(options.socket);
    ASSERT_TRUE(
        client.send("POST /v1/jobs HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
    EXPECT_EQ(client.read().status, 100);
    ASSERT_TRUE(client.send("{}"));
    EXPECT_EQ(client.read().status, 201);
}

TEST_F(ServerRig, DropsWhoeverSendsTooSlowly) {
    options.idle_timeout = std::chrono::milliseconds(200);
    options.body_timeout = std::chrono::milliseconds(200);
    start();
    RawClient silent(options.socket), dripping(options.socket), stuck(options.socket);
    ASSERT_TRUE(stuck.send("POST /v1/jobs HTTP/1.1\r\nContent-Length: 100\r\n\r\n{"));
    for (int i = 0; i < 6; ++i) {
        (void)dripping.send("G");
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_TRUE(silent.closed_within(2000));
    EXPECT_TRUE(stuck.closed_within(2000));
    EXPECT_TRUE(dripping.closed_within(2000));
    EXPECT_EQ(call("GET", "/healthz").status, 200);
}

TEST_F(ServerRig, LetsTheLongestIdleGoWhenAllPlacesAreTaken) {
    options.connections = 4;
    start();
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(std::make_unique<RawClient>(options.socket));
        ASSERT_EQ(clients.back()->call("GET", "/healthz").status, 200) << i;
    }
    EXPECT_TRUE(clients.front()->closed_within(2000));
}

// Half a request is at work, and would be until its time is up.
TEST_F(ServerRig, WhoeverTakesAllPlacesLosesOne) {
    options.connections = 4;
    start();
    std::vector<std::unique_ptr<RawClient>> stuck;
    for (int i = 0; i < 8; ++i) {
        stuck.push_back(std::make_unique<RawClient>(options.socket));
        ASSERT_TRUE(stuck.back()->send("POST /v1/jobs HTTP/1.1\r\nContent-Length: 100\r\n\r\n{"));
    }
    EXPECT_EQ(call("GET", "/healthz").status, 200);
    EXPECT_TRUE(stuck.front()->closed_within(2000));
}

// What is read slowly holds on to its connection, and a closed one must not hold on to its place.
TEST_F(ServerRig, WhoeverWaitsForSlowReadsLosesHisPlace) {
    options.connections = 4;
    start();
    std::vector<std::unique_ptr<RawClient>> slow;
    {
        const std::lock_guard busy(archive.mutex);
        for (int i = 0; i < 8; ++i) {
            slow.push_back(std::make_unique<RawClient>(options.socket));
            ASSERT_TRUE(slow.back()->send("GET /v1/accounting HTTP/1.1\r\n\r\n"));
        }
        EXPECT_EQ(call("GET", "/healthz").status, 200);
        EXPECT_TRUE(slow.front()->closed_within(5000));
    }
    EXPECT_EQ(call("GET", "/v1/accounting").status, 200);
}

// However many reports over years are asked for, sacct is not kept waiting.
TEST_F(ServerRig, LongReadsDelayNoOtherSlowReads) {
    start();
    std::vector<std::unique_ptr<RawClient>> reports;
    {
        const std::lock_guard busy(archive.runs_mutex);
        for (int i = 0; i < 4; ++i) {
            reports.push_back(std::make_unique<RawClient>(options.socket));
            ASSERT_TRUE(reports.back()->send("GET /v1/usage?from=1&until=2 HTTP/1.1\r\n\r\n"));
        }
        EXPECT_EQ(call("GET", "/v1/accounting").status, 200);
    }
    for (const auto& report : reports) EXPECT_EQ(report->read().status, 200);
}

// The head of a body that never comes whole. "100 Continue" says that its memory is promised.
std::string head_of(int bytes) {
    return "POST /v1/jobs HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: " +
           std::to_string(bytes) + "\r\n\r\n";
}

TEST_F(ServerRig, PromisesNoMoreMemoryThanThereIs) {
    options.bodies_bytes = 1 << 20;
    start();
    {
        RawClient first(options.socket), second(options.socket);
        ASSERT_TRUE(first.send(head_of(600'000)));
        ASSERT_EQ(first.read().status, 100);
        ASSERT_TRUE(first.send("{"));
        const std::string whole =
            R"({"payload":{"script":")" + std::string(600'000, 'x') + R"("}})";
        EXPECT_EQ(call("POST", "/v1/jobs", whole).status, 503) << "half of it is promised";
        ASSERT_TRUE(second.send(head_of(600'000)));
        EXPECT_EQ(second.read().status, 503);
        EXPECT_EQ(call("POST", "/v1/jobs", "{}").status, 201) << "a small one has its room";
    }
    const std::string script(500'000, 'x');
    for (int i = 0; i < 5; ++i) {  // What was promised is given back.
        const auto status = [&] {
            return call("POST", "/v1/jobs", R"({"payload":{"script":")" + script + R"("}})").status;
        };
        int now = status();
        for (int wait = 0; now == 503 && wait < 100; ++wait) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            now = status();
        }
        EXPECT_EQ(now, 201);
    }
}

// Stuck bodies of one user kept all others' long ones out.
TEST_F(ServerRig, OneUsersStuckBodiesLeaveRoomForOthers) {
    if (::getuid() != 0) GTEST_SKIP() << "needs root to be somebody else";
    options.bodies_bytes = 4 << 20, options.body_bytes = 1 << 20;
    start();
    RawClient stuck(options.socket);
    ASSERT_TRUE(stuck.send(head_of(1'000'000)));
    ASSERT_EQ(stuck.read().status, 100);
    ASSERT_TRUE(stuck.send("{"));
    const std::string script(500'000, 'x');
    const std::string whole = R"({"payload":{"script":")" + script + R"("}})";
    EXPECT_EQ(call("POST", "/v1/jobs", whole).status, 503) << "the user's own share is used up";
    ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
    ASSERT_EQ(::seteuid(65533), 0);
    RawClient other(options.socket);
    ASSERT_EQ(::seteuid(0), 0);
    EXPECT_EQ(other.call("POST", "/v1/jobs", whole).status, 201);
}

TEST_F(ServerRig, SaysSoWhenTheControllerIsFullOrSilent) {
    options.answer_timeout = std::chrono::milliseconds(100);
    start();
    controller.full = true;
    EXPECT_EQ(call("POST", "/v1/jobs/1/cancel").status, 503);
    controller.full = false;
    controller.silent = true;
    RawClient client(options.socket);
    EXPECT_EQ(client.call("POST", "/v1/jobs/1/cancel").status, 504);
    // An answer that comes too late must not be taken for that to the next request.
    const ReplyTo late = controller.last().reply_to;
    std::thread answers([&] {
        while (controller.asked() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        server->answer({late, Submitted{JobId(1), {}}});
        server->answer({controller.last().reply_to, Submitted{JobId(2), {}}});
    });
    const Heard heard = client.call("POST", "/v1/jobs", "{}");
    answers.join();
    EXPECT_EQ(heard.body, R"({"job":2,"warnings":[],"messages":[]})");
}

TEST_F(ServerRig, StopsWhileRequestsWait) {
    start();
    controller.silent = true;
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 8; ++i) {
        clients.push_back(std::make_unique<RawClient>(options.socket));
        ASSERT_TRUE(clients.back()->send("POST /v1/jobs/1/cancel HTTP/1.1\r\n\r\n"));
    }
    while (controller.asked() < 8) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    server->stop();
    for (auto& client : clients) EXPECT_TRUE(client->closed_within(1000));
    server->answer({controller.last().reply_to, Done{}});
}

// The address sanitizer keeps what was freed for a while.
#ifdef __has_feature
constexpr bool kKeepsWhatWasFreed = __has_feature(address_sanitizer);
#else
constexpr bool kKeepsWhatWasFreed = false;
#endif

std::size_t resident_kib() {
    std::size_t pages = 0, resident = 0;
    FILE* const file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr || std::fscanf(file, "%zu %zu", &pages, &resident) != 2) resident = 0;
    if (file != nullptr) std::fclose(file);
    return resident * 4;
}

// A timer that went off just before the end was set anew just after it, and the end never came.
TEST_F(ServerRig, StopsWhateverItsTimersAreAt) {
    options.body_timeout = std::chrono::milliseconds(40);  // Looked at each 10 ms.
    for (int round = 0; round < 150; ++round) {
        start();
        std::this_thread::sleep_for(std::chrono::microseconds(9'500 + round * 5));
        server.reset();
    }
}

TEST_F(ServerRig, StreamsAHundredThousandJobsInLittleMemory) {
    constexpr std::uint32_t kJobs = 100'000;
    for (std::uint32_t id = 1; id <= kJobs; ++id) cluster.submit(SampleCluster::job(id));
    start();
    RawClient client(options.socket);
    const std::size_t before = resident_kib();
    ASSERT_TRUE(client.send("GET /v1/jobs HTTP/1.1\r\nHost: x\r\n\r\n"));
    // Nothing is read for a while: a server that made it all at once would have it all by now.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const std::size_t grown = resident_kib() - before;
    EXPECT_LT(grown, (kKeepsWhatWasFreed ? 32U : 16U) * 1024) << "KiB while nobody reads";
    const std::string body = client.read().body;
    EXPECT_GT(body.size(), 50U << 20);
    std::size_t rows = 0;
    for (std::size_t at = 0; (at = body.find(R"({"id":)", at)) != std::string::npos; ++at) ++rows;
    EXPECT_EQ(rows, kJobs);
    EXPECT_TRUE(body.ends_with("]}"));
}

// The system's list of users may be on another host that does not answer.
TEST_F(ServerRig, AnswersWhileTheSystemIsAskedForNames) {
    struct Gate {
        std::mutex mutex;
        std::condition_variable opened;
        bool shut = false;
        void pass() {
            std::unique_lock lock(mutex);
            opened.wait(lock, [&] { return !shut; });
        }
        void set(bool is_shut) {
            {
                const std::lock_guard lock(mutex);
                shut = is_shut;
            }
            opened.notify_all();
        }
    };
    const auto gate = std::make_shared<Gate>();
    options.names.kept = options.names.used_stale = std::chrono::milliseconds(0);
    options.names.ask = [gate](PeerIds ids) {
        gate->pass();
        return ask_system(ids);
    };
    start();
    RawClient known(options.socket);
    ASSERT_EQ(known.call("GET", "/healthz").status, 200);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    gate->set(true);
    std::vector<std::unique_ptr<RawClient>> others;
    for (int i = 0; i < 8; ++i) {
        others.push_back(std::make_unique<RawClient>(options.socket));
        ASSERT_TRUE(others.back()->send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto asked = std::chrono::steady_clock::now();
    EXPECT_EQ(known.call("GET", "/v1/nodes").status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(5));
    gate->set(false);
    for (const auto& other : others) EXPECT_EQ(other->read().status, 200);
}

TEST_F(ServerRig, KeepsAnsweringByOldNamesWhileNewOnesAreAskedFor) {
    const auto asked = std::make_shared<std::atomic<int>>(0);
    options.names.kept = std::chrono::milliseconds(0);
    options.names.ask = [asked](PeerIds ids) {
        if (asked->fetch_add(1) > 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
        return ask_system(ids);
    };
    start();
    ASSERT_EQ(call("GET", "/healthz").status, 200);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(call("GET", "/healthz").status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(250));
    for (int i = 0; i < 1000 && asked->load() < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_GE(asked->load(), 2) << "they are asked for again";
}

TEST_F(ServerRig, IsNotHeldUpByAReaderWhoDoesNotRead) {
    for (std::uint32_t id = 1; id <= 5'000; ++id) cluster.submit(SampleCluster::job(id));
    options.write_timeout = std::chrono::milliseconds(300);
    start();
    RawClient lazy(options.socket);
    ASSERT_TRUE(lazy.send("GET /v1/jobs HTTP/1.1\r\nHost: x\r\n\r\n"));
    for (int i = 0; i < 50; ++i) ASSERT_EQ(call("GET", "/healthz").status, 200);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    EXPECT_FALSE(lazy.rest().ends_with("]}\r\n0\r\n\r\n")) << "it was given up";
}

}  // namespace
}  // namespace berth
