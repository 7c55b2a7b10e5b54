#include "berth/client/client.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <tuple>

#include "berth/api/json.h"
#include "berth/client/patience.h"
#include "berth/client/toy_server.h"

namespace berth {
namespace {

using std::chrono::milliseconds;
constexpr ClientOptions kHasty{.timeout = milliseconds(200), .retry_for = milliseconds(0)};
constexpr ClientOptions kPatient{.timeout = milliseconds(2000), .retry_for = milliseconds(5000)};

std::string spec_of(const std::string& request) {
    return request.substr(request.find("\r\n\r\n") + 4);
}

TEST(Client, SaysAsSlurmDoesThatNobodyListens) {
    Client client({"/nonexistent/berthd.sock"}, kHasty);
    const auto reply = client.ping();
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.problem().code, "unavailable");
    EXPECT_EQ(reply.problem().status, 0);
    EXPECT_EQ(slurm_message(reply.problem()),
              "Unable to contact slurm controller (connect failure): cannot connect to "
              "/nonexistent/berthd.sock: No such file or directory");
    EXPECT_NE(reply.problem().detail.find("/nonexistent/berthd.sock"), std::string::npos);
    Client too_long({std::string(200, 'x')}, kHasty);
    EXPECT_EQ(too_long.ping().problem().code, "unavailable");
}

TEST(Client, GivesUpOnAServerThatSaysNothing) {
    ToyServer server([](int fd, int) {
        while (!ToyServer::read_request(fd).empty()) {
        }
    });
    Client client({server.path()}, kHasty);
    const auto reply = client.ping();
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.problem().code, "timed_out");
    EXPECT_EQ(slurm_message(reply.problem()),
              "Socket timed out on send/recv operation: the controller at " + server.path() +
                  " did not answer within 200 ms");
}

TEST(Client, GivesUpOnAServerThatAcceptsNobody) {
    ToyServer server([](int, int connection) {
        if (connection == 1) std::this_thread::sleep_for(std::chrono::seconds(1));
    });
    std::vector<std::unique_ptr<Client>> others;
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < 12; ++i) {  // More than may queue up there.
        others.push_back(std::make_unique<Client>(
            Endpoint{server.path()},
            ClientOptions{.timeout = milliseconds(20), .retry_for = milliseconds(0)}));
        EXPECT_EQ(others.back()->ping().problem().code, "timed_out") << i;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(1500));
}

TEST(Client, StopsWaitingWhenItsStopDescriptorIsReadable) {
    ToyServer server([](int fd, int) {
        while (!ToyServer::read_request(fd).empty()) {
        }
    });
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    Client client({server.path()}, {.timeout = milliseconds(20'000), .stop_fd = ends[0]});
    std::thread stopper([&] {
        std::this_thread::sleep_for(milliseconds(100));
        EXPECT_EQ(::write(ends[1], "x", 1), 1);
    });
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(client.ping().problem().code, "stopped");
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
    stopper.join();
    Client nobody({"/nonexistent/berthd.sock"}, {.stop_fd = ends[0]});  // Between two tries, too.
    EXPECT_EQ(nobody.ping().problem().code, "stopped");
    ::close(ends[0]), ::close(ends[1]);
}

TEST(Client, SaysWhomItWaitsForOnceACall) {
    ToyServer server([](int fd, int) {
        while (!ToyServer::read_request(fd).empty()) {
        }
    });
    std::vector<std::string> said;
    set_silence_notice([&](const std::string& whom, milliseconds) { said.push_back(whom); });
    Client client({server.path()}, {.timeout = milliseconds(3500), .retry_for = milliseconds(0)});
    EXPECT_EQ(client.ping().problem().code, "timed_out");
    set_silence_notice(nullptr);
    EXPECT_EQ(said, std::vector<std::string>{"the controller at " + server.path()});
}

TEST(Client, IsNotUpsetByGarbage) {
    for (const std::string garbage :
         {"", "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{}",
          "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{",
          "HTTP/1.1 500 No\r\nContent-Length: 4\r\n\r\noops",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
        ToyServer server([&](int fd, int) {
            (void)ToyServer::read_request(fd);
            ToyServer::write(fd, garbage);
        });
        Client client({server.path()}, kHasty);
        const auto one = client.config();
        EXPECT_FALSE(one) << garbage;
        const auto list = client.jobs();
        ASSERT_FALSE(list) << garbage;
        EXPECT_NE(list.problem().code, "") << garbage;
    }
}

TEST(Client, HandsOnTheProblemDocument) {
    ToyServer server([](int fd, int) {
        (void)ToyServer::read_request(fd);
        ToyServer::respond(
            fd, 422,
            R"({"status":422,"code":"unknown_partition","title":"t","detail":"d",)"
            R"("slurm":"Invalid partition name specified","details":["x"],"new":1})");
    });
    Client client({server.path()}, kHasty);
    const auto reply = client.submit({});
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.problem().code, "unknown_partition");
    EXPECT_EQ(reply.problem().details, std::vector<std::string>{"x"});
    EXPECT_EQ(slurm_message(reply.problem()), "Invalid partition name specified");
}

TEST(Client, ReadsItsTokenAgainWhenTheOldOneIsOver) {
    int asked = 0;
    ToyServer server([&](int fd, int) {
        while (!ToyServer::read_request(fd).empty()) {
            const bool known = ++asked > 2;
            ToyServer::respond(fd, known ? 200 : 401,
                               known ? "{}" : R"({"status":401,"code":"unauthenticated"})");
        }
    });
    const std::string file = std::filesystem::temp_directory_path() / "berth-client-test.token";
    std::ofstream(file) << "old\n";
    ASSERT_EQ(::setenv("BERTH_TOKEN_FILE", file.c_str(), 1), 0);
    ASSERT_EQ(::unsetenv("SLURM_JWT"), 0);
    {
        Client client({.socket = server.path(), .token = "old"}, kHasty);
        EXPECT_EQ(client.requeue("7").problem().code, "unauthenticated");  // There is no other.
        std::ofstream(file) << "fresh\n";
        const auto reply = client.requeue("7");
        EXPECT_TRUE(reply) << reply.problem().detail;
    }
    server.stop();
    EXPECT_EQ(asked, 3);
    ::unsetenv("BERTH_TOKEN_FILE");
    std::filesystem::remove(file);
}

TEST(Client, SubmitsAgainUnderTheSameRequestIdWhenTheControllerDiesOnTheWay) {
    std::set<std::string> request_ids;
    ToyServer server([&](int fd, int connection) {
        const std::string body = spec_of(ToyServer::read_request(fd));
        request_ids.insert(api::from_json<api::SubmitRequest>(body)->spec.request_id);
        if (connection == 4) ToyServer::respond(fd, 201, R"({"job":7,"warnings":[]})");
        if (connection == 3) ToyServer::write(fd, "HTTP/1.1 201 Created\r\nContent-Le");
    });
    Client client({server.path()}, kPatient);
    const auto reply = client.submit({});
    ASSERT_TRUE(reply) << reply.problem().detail;
    EXPECT_EQ(reply->job, JobId(7));
    EXPECT_EQ(server.connections(), 4);
    ASSERT_EQ(request_ids.size(), 1U);
    EXPECT_EQ(request_ids.begin()->size(), 32U);
}

TEST(Client, DoesNotRepeatWhatMayHaveBeenDone) {
    ToyServer server([&](int fd, int) { (void)ToyServer::read_request(fd); });
    Client client({server.path()}, kPatient);
    const auto reply = client.requeue("7");
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.problem().code, "connection_lost");
    EXPECT_EQ(server.connections(), 1);
}

TEST(Client, WaitsForAControllerThatIsStarting) {
    const auto play = [](int fd, int) {
        (void)ToyServer::read_request(fd);
        ToyServer::respond(fd, 200, "{}");
    };
    ToyServer server(play);
    server.stop();
    std::thread starting([&] {
        std::this_thread::sleep_for(milliseconds(150));
        server.listen();
    });
    Client client({server.path()}, kPatient);
    const auto reply = client.requeue("7");
    starting.join();
    EXPECT_TRUE(reply) << reply.problem().detail;
}

TEST(Client, TakesANewConnectionWhenTheOldOneWasClosedMeanwhile) {
    ToyServer server([](int fd, int) {
        (void)ToyServer::read_request(fd);
        ToyServer::respond(fd, 200, "{}");
    });
    Client client({server.path()}, kHasty);
    for (int i = 1; i <= 3; ++i) {
        EXPECT_TRUE(client.release("7")) << "nothing is repeated here, so it must be seen before";
        EXPECT_EQ(server.connections(), i);
        std::this_thread::sleep_for(milliseconds(20));
    }
}

TEST(Client, SaysThatAJobHasSavedACheckpoint) {
    ToyServer server([](int fd, int) {
        const std::string request = ToyServer::read_request(fd);
        EXPECT_TRUE(request.starts_with("POST /v1/jobs/12_3/checkpoint ")) << request;
        ToyServer::respond(fd, 200, "{}");
    });
    Client client({server.path()}, kHasty);
    EXPECT_TRUE(client.own_job().checkpoint("12_3"));
}

TEST(Client, KeepsItsConnectionAndReadsListsAsTheyCome) {
    ToyServer server([](int fd, int) {
        for (;;) {
            const std::string request = ToyServer::read_request(fd);
            if (request.empty()) return;
            EXPECT_TRUE(request.starts_with("GET /v1/jobs?user=ann%20b&field=id ")) << request;
            ToyServer::write(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            const std::string body =
                R"({"sequence":1,"now":2,"jobs":[{"id":1},{"id":2},{"id":3}]})";
            for (const char byte : body) ToyServer::write(fd, std::string("1\r\n") + byte + "\r\n");
            ToyServer::write(fd, "0\r\n\r\n");
        }
    });
    Client client({server.path()}, kHasty);
    api::JobQuery query;
    query.users = {"ann b"};
    query.fields = {"id"};
    for (int i = 0; i < 3; ++i) {
        const auto jobs = client.jobs(query);
        ASSERT_TRUE(jobs) << jobs.problem().detail;
        ASSERT_EQ(jobs->size(), 3U);
        EXPECT_EQ(jobs->at(2).id, JobId(3));
    }
    EXPECT_EQ(server.connections(), 1);
    int seen = 0;
    EXPECT_TRUE(client.each_job(query, [&](api::JobRow&&) { return ++seen < 2; }));
    EXPECT_EQ(seen, 2);
    EXPECT_TRUE(client.jobs(query)) << "a list left in the middle spoils nothing";
}

TEST(Client, TellsAListThatBrokeOffFromAWholeOne) {
    ToyServer server([](int fd, int) {
        (void)ToyServer::read_request(fd);
        ToyServer::write(fd,
                         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "12\r\n{\"jobs\":[{\"id\":1},\r\n");
    });
    Client client({server.path()}, kHasty);
    const auto jobs = client.jobs();
    ASSERT_FALSE(jobs);
    EXPECT_EQ(jobs.problem().code, "connection_lost");
}

TEST(Endpoint, IsTheOneOfTheEnvironmentFirst) {
    ASSERT_EQ(::setenv("BERTH_SOCKET", "/tmp/one.sock", 1), 0);
    EXPECT_EQ(find_endpoint().socket, "/tmp/one.sock");
    ASSERT_EQ(::unsetenv("BERTH_SOCKET"), 0);
    ASSERT_EQ(::setenv("XDG_RUNTIME_DIR", "/nonexistent", 1), 0);
    EXPECT_EQ(find_endpoint().socket, kSystemSocket);
}

TEST(Endpoint, IsAHostWhereTheEnvironmentNamesOne) {
    ASSERT_EQ(::setenv("BERTH_CONTROLLER", "head:7003", 1), 0);
    ASSERT_EQ(::setenv("BERTH_SOCKET", "/nonexistent/sock", 1), 0);
    ASSERT_EQ(::setenv("SLURM_JWT", "t0ken", 1), 0);
    const Endpoint found = find_endpoint();
    EXPECT_EQ(found.host, "head");
    EXPECT_EQ(found.port, 7003);
    EXPECT_EQ(found.token, "t0ken");
    ASSERT_EQ(::setenv("BERTH_SOCKET", "/tmp", 1), 0);
    EXPECT_EQ(find_endpoint().host, "") << "a socket that is there is nearer";
    for (const char* name : {"BERTH_CONTROLLER", "BERTH_SOCKET", "SLURM_JWT"}) ::unsetenv(name);
}

TEST(Endpoint, IsTheControllerOfSlurmConfWhereThatIsAnotherMachine) {
    const std::string file = ::testing::TempDir() + "endpoint_slurm.conf";
    const auto found_with = [&](const std::string& conf) {
        std::ofstream(file) << conf;
        const Endpoint found = find_endpoint();
        return found.host.empty() ? "here" : found.host + ":" + std::to_string(found.port);
    };
    ASSERT_EQ(::setenv("SLURM_CONF", file.c_str(), 1), 0);
    EXPECT_EQ(found_with("ClusterName=x\nSlurmctldHost=head  # first\nSlurmctldHost=spare\n"),
              "head:6820");
    EXPECT_EQ(found_with("slurmctldhost = head(10.0.0.1)\nSlurmctldPort=7000\n"), "10.0.0.1:7003");
    EXPECT_EQ(found_with("SlurmctldHost=head(fd00::1)\n"), "fd00::1:6820");
    EXPECT_EQ(found_with("SlurmctldHost=localhost(10.0.0.1)\n"), "here");
    EXPECT_EQ(found_with("# SlurmctldHost=head\n"), "here");
    ASSERT_EQ(::setenv("BERTH_SOCKET", "/tmp/one.sock", 1), 0);
    EXPECT_EQ(found_with("SlurmctldHost=head\n"), "here") << "Berth's own variables come first";
    ASSERT_EQ(::unsetenv("BERTH_SOCKET"), 0);
    ASSERT_EQ(::setenv("SLURM_CONF", "/nonexistent/slurm.conf", 1), 0);
    EXPECT_EQ(find_endpoint().host, "");
    ASSERT_EQ(::unsetenv("SLURM_CONF"), 0);
}

TEST(Endpoint, OfAnotherHostHasAPortOfItsOwnOrTheUsualOne) {
    const std::vector<std::tuple<std::string, std::string, std::uint16_t>> cases = {
        {"head", "head", 6820},         {"head:1", "head", 1},
        {"10.0.0.1:7", "10.0.0.1", 7},  {"[fd00::1]:7", "fd00::1", 7},
        {"[fd00::1]", "fd00::1", 6820}, {"fd00::1", "fd00::1", 6820}};
    for (const auto& [text, host, port] : cases) {
        EXPECT_EQ(remote_endpoint(text).host, host) << text;
        EXPECT_EQ(remote_endpoint(text).port, port) << text;
    }
}

}  // namespace
}  // namespace berth
