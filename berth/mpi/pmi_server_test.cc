#include "berth/mpi/pmi_server.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/mpi/exchange.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using Words = std::vector<std::string>;

// The servers of all nodes of a step, srun between them, and what each rank has been told.
class World {
public:
    explicit World(const std::vector<std::uint32_t>& tasks_of_nodes)
        : srun_(static_cast<std::uint32_t>(tasks_of_nodes.size())) {
        MpiStep step{.kind = "pmi2", .name = "7.0", .mapping = "(vector,(0,2,2))"};
        for (const std::uint32_t tasks : tasks_of_nodes) step.tasks += tasks;
        step.node_count = static_cast<std::uint32_t>(tasks_of_nodes.size());
        std::uint32_t rank = 0;
        for (const std::uint32_t tasks : tasks_of_nodes) {
            step.node_index = static_cast<std::uint32_t>(nodes_.size());
            step.ranks.clear();
            for (std::uint32_t i = 0; i < tasks; ++i, ++rank) {
                step.ranks.push_back(rank);
                places_.emplace_back(nodes_.size(), i);
            }
            nodes_.emplace_back(step);
        }
        told_.resize(rank);
        closed_.resize(rank);
    }

    // What the rank is told in answer, and forgets.
    std::string say(std::uint32_t rank, const std::string& bytes) {
        PmiServer::Effects effects;
        nodes_[places_[rank].first].heard(places_[rank].second, bytes, effects);
        act(places_[rank].first, effects);
        return told(rank);
    }
    std::string line(std::uint32_t rank, const std::string& text) { return say(rank, text + "\n"); }
    std::string message(std::uint32_t rank, const std::string& text) {
        return say(rank, pmi2_message(text));
    }
    void go(std::uint32_t rank) {
        PmiServer::Effects effects;
        nodes_[places_[rank].first].hung_up(places_[rank].second, effects);
        act(places_[rank].first, effects);
    }
    std::string told(std::uint32_t rank) { return std::exchange(told_[rank], {}); }
    bool is_closed(std::uint32_t rank) const { return closed_[rank]; }
    std::vector<PmiServer::Abort> aborts;

    void begin_2(std::uint32_t rank) {
        EXPECT_EQ(line(rank, "cmd=init pmi_version=2 pmi_subversion=0"),
                  "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0\n");
    }

private:
    std::uint32_t rank_at(std::size_t node, std::size_t task) const {
        const auto found = std::ranges::find(places_, std::pair(node, task));
        return static_cast<std::uint32_t>(found - places_.begin());
    }
    void act(std::size_t node, const PmiServer::Effects& effects) {
        for (const auto& [task, text] : effects.replies) told_[rank_at(node, task)] += text;
        for (const std::size_t task : effects.closed) closed_[rank_at(node, task)] = true;
        for (const auto& abort : effects.aborts) aborts.push_back(abort);
        if (!effects.given) return;
        StepFrameReader reader;
        reader.add(encode_exchange(effects.given->first, {}, effects.given->second));
        while (const auto frame = *reader.next()) {
            const auto outcome = srun_.take(static_cast<std::uint32_t>(node), *frame);
            ASSERT_TRUE(outcome.ok()) << outcome.error().message;
            if (*outcome) spread(**outcome);
        }
    }
    void spread(const Exchange::Outcome& outcome) {
        for (const std::uint32_t node : outcome.nodes) {
            StepFrameReader reader;
            reader.add(outcome.frames);
            std::string all;
            while (const auto frame = *reader.next()) {
                const auto part = *read_exchange(*frame);
                all += part.bytes;
                if (!part.last) continue;
                PmiServer::Effects effects;
                nodes_[node].exchanged(part.key, all, effects);
                act(node, effects);
            }
        }
    }

    std::vector<PmiServer> nodes_;
    Exchange srun_;
    std::vector<std::pair<std::size_t, std::size_t>> places_;  // By rank: node, and place there.
    std::vector<std::string> told_;
    std::vector<bool> closed_;
};

TEST(PmiServer, AnswersPmi1AsMpichAsks) {
    World world({1});
    EXPECT_EQ(world.line(0, "cmd=init pmi_version=1 pmi_subversion=1"),
              "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"cmd=get_maxes", "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=896\n"},
        {"cmd=get_appnum", "cmd=appnum rc=0 appnum=0\n"},
        {"cmd=get_universe_size", "cmd=universe_size rc=0 size=1\n"},
        {"cmd=get_my_kvsname", "cmd=my_kvsname rc=0 kvsname=7.0\n"},
        {"cmd=get kvsname=7.0 key=PMI_process_mapping",
         "cmd=get_result rc=0 msg=success value=(vector,(0,2,2))\n"},
        {"cmd=get kvsname=7.0 key=none", "cmd=get_result rc=-1 msg=key_not_found\n"},
        {"cmd=put kvsname=7.0 key=a value=b=c", "cmd=put_result rc=0 msg=success\n"},
        {"cmd=barrier_in", "cmd=barrier_out rc=0\n"},
        {"cmd=get kvsname=7.0 key=a", "cmd=get_result rc=0 msg=success value=b=c\n"},
        {"cmd=getbyidx kvsname=7.0 idx=1", "cmd=getbyidx_results rc=0 nextidx=2 key=a val=b=c\n"},
        {"cmd=getbyidx kvsname=7.0 idx=2", "cmd=getbyidx_results rc=-2 reason=no_more_keyvals\n"},
        {"cmd=getbyidx kvsname=7.0 idx=x", "cmd=getbyidx_results rc=-2 reason=no_more_keyvals\n"},
        {"cmd=put kvsname=7.0 key= value=b", "cmd=put_result rc=-1 msg=too_long\n"},
        {"cmd=put kvsname=7.0 key=a value=" + std::string(1025, 'x'),
         "cmd=put_result rc=-1 msg=too_long\n"},
        {"cmd=publish_name service=s port=p",
         "cmd=publish_result info=fail rc=-1 msg=not_supported\n"},
        {"cmd=paint_it_black", "cmd=paint_it_black_result rc=-1 msg=unknown_command\n"},
        {"mcmd=spawn\nnprocs=2\nexecname=/bin/true\ntotspawns=2\nspawnssofar=1\nendcmd", ""},
        {"mcmd=spawn\nnprocs=2\nexecname=a b=c\ntotspawns=2\nspawnssofar=2\nendcmd",
         "cmd=spawn_result rc=-1 msg=srun_cannot_spawn\n"},
        {"cmd=finalize", "cmd=finalize_ack rc=0\n"},
    };
    for (const auto& [asked, answer] : cases) EXPECT_EQ(world.line(0, asked), answer) << asked;
    EXPECT_TRUE(world.is_closed(0));
    EXPECT_TRUE(world.aborts.empty());
}

TEST(PmiServer, AnswersPmi2AsSlurmsLibraryAsks) {
    World world({1});
    world.begin_2(0);
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"cmd=fullinit;pmijobid=7.0;pmirank=0;threaded=FALSE;",
         "cmd=fullinit-response;rc=0;pmi-version=2;pmi-subversion=0;rank=0;size=1;appnum=0;"
         "debugged=FALSE;pmiverbose=FALSE;"},
        {"cmd=job-getid;", "cmd=job-getid-response;rc=0;jobid=7.0;"},
        {"cmd=info-getjobattr;key=universeSize;",
         "cmd=info-getjobattr-response;rc=0;found=TRUE;value=1;"},
        {"cmd=info-getjobattr;thrid=0x1;key=PMI_process_mapping;",
         "cmd=info-getjobattr-response;thrid=0x1;rc=0;found=TRUE;value=(vector,(0,2,2));"},
        {"cmd=info-getjobattr;key=other;", "cmd=info-getjobattr-response;rc=0;found=FALSE;"},
        {"cmd=kvs-put;key=a;value=b;;c;", "cmd=kvs-put-response;rc=0;"},
        {"cmd=kvs-fence;thrid=5;", "cmd=kvs-fence-response;thrid=5;rc=0;"},
        {"cmd=kvs-get;jobid=7.0;srcid=0;key=a;",
         "cmd=kvs-get-response;rc=0;found=TRUE;value=b;;c;"},
        {"cmd=kvs-get;key=b;", "cmd=kvs-get-response;rc=0;found=FALSE;"},
        {"cmd=info-getnodeattr;key=n;wait=FALSE;",
         "cmd=info-getnodeattr-response;rc=0;found=FALSE;"},
        {"cmd=info-putnodeattr;key=n;value=1;", "cmd=info-putnodeattr-response;rc=0;"},
        {"cmd=info-getnodeattr;key=n;wait=TRUE;",
         "cmd=info-getnodeattr-response;rc=0;found=TRUE;value=1;"},
        {"cmd=spawn;ncmds=1;", "cmd=spawn-response;rc=14;errmsg=srun cannot spawn;"},
        {"cmd=job-connect;", "cmd=job-connect-response;rc=14;errmsg=not supported: job-connect;"},
        {"cmd=finalize;", "cmd=finalize-response;rc=0;"},
    };
    for (const auto& [asked, answer] : cases) {
        EXPECT_EQ(world.message(0, asked), pmi2_message(answer)) << asked;
    }
    EXPECT_TRUE(world.is_closed(0));
}

TEST(PmiServer, AFenceShowsAllWhatAllHavePut) {
    World world({2, 1, 3});
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
        if (rank % 2 == 0) world.begin_2(rank);  // Whichever of the two a rank speaks.
        const std::string put = "key=r" + std::to_string(rank) + (rank % 2 == 0 ? ";" : " ") +
                                "value=v" + std::to_string(rank);
        if (rank % 2 == 0) {
            (void)world.message(rank, "cmd=kvs-put;" + put + ";");
        } else {
            (void)world.line(rank, "cmd=put kvsname=7.0 " + put);
        }
    }
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
        for (std::uint32_t before = 0; before < rank; ++before) EXPECT_EQ(world.told(before), "");
        const std::string told = rank % 2 == 0 ? world.message(rank, "cmd=kvs-fence;")
                                               : world.line(rank, "cmd=barrier_in");
        EXPECT_EQ(told, rank == 5 ? "cmd=barrier_out rc=0\n" : "");
    }
    EXPECT_EQ(world.told(0), pmi2_message("cmd=kvs-fence-response;rc=0;"));
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
        const std::string number = std::to_string(rank);
        EXPECT_TRUE(world.line(5, "cmd=get key=r" + number).ends_with("value=v" + number + "\n"));
    }
}

TEST(PmiServer, ANodeAttributeIsWaitedForOnItsNodeAlone) {
    World world({2, 1});
    for (std::uint32_t rank = 0; rank < 3; ++rank) world.begin_2(rank);
    const std::string get = "cmd=info-getnodeattr;thrid=9;key=k;wait=TRUE;";
    EXPECT_EQ(world.message(0, get), "");
    EXPECT_EQ(world.message(2, get), "");
    (void)world.message(1, "cmd=info-putnodeattr;key=k;value=here;");
    EXPECT_EQ(world.told(0), pmi2_message("cmd=info-getnodeattr-response;thrid=9;rc=0;found=TRUE;"
                                          "value=here;"));
    EXPECT_EQ(world.told(2), "");
}

TEST(PmiServer, WhoIsLeftBehindInAFenceIsToldSo) {
    World world({2, 1});
    (void)world.line(0, "cmd=barrier_in");
    world.go(2);  // All of its node are gone; it speaks for them.
    EXPECT_EQ(world.told(0), "");
    world.go(1);
    const std::string failed =
        "cmd=barrier_out rc=-1 msg=a_task_of_the_step_has_ended_without_finalize\n";
    EXPECT_EQ(world.told(0), failed);
    EXPECT_EQ(world.line(0, "cmd=barrier_in"), failed);  // And for ever.
}

TEST(PmiServer, AnAbortSaysWhoAndWhy) {
    World world({1, 2});
    (void)world.line(0, "cmd=abort exitcode=3");
    world.begin_2(2);
    (void)world.message(2, "cmd=abort;isworld=FALSE;msg=only me;");
    (void)world.message(2, "cmd=abort;isworld=TRUE;msg=all of you;");
    ASSERT_EQ(world.aborts.size(), 2U);
    EXPECT_EQ(world.aborts[0].rank, 0U);
    EXPECT_EQ(world.aborts[0].why, "exit code 3");
    EXPECT_EQ(world.aborts[1].rank, 2U);
    EXPECT_EQ(world.aborts[1].why, "all of you");
}

TEST(PmiServer, HangsUpOnWhoSpeaksNoPmiAndKeepsTheOthers) {
    for (const std::string& bytes : {std::string(17'000, 'x'), std::string("GET / HTTP/1.1\r")}) {
        World world({2});
        (void)world.say(0, bytes);
        if (bytes.size() < 16'384) (void)world.say(0, std::string(17'000, 'x'));
        EXPECT_TRUE(world.is_closed(0));
        EXPECT_EQ(world.line(1, "cmd=get_appnum"), "cmd=appnum rc=0 appnum=0\n");
        EXPECT_EQ(world.line(0, "cmd=get_appnum"), "");
    }
    World world({1});
    world.begin_2(0);
    (void)world.say(0, "abcdef");
    EXPECT_TRUE(world.is_closed(0));
}

TEST(PmiServer, HoldsNoMoreThanItsBound) {
    World world({1});
    const std::string value(1000, 'v');
    std::size_t taken = 0;
    for (int i = 0; i < 70'000; ++i) {
        const std::string told =
            world.line(0, "cmd=put key=k" + std::to_string(i) + " value=" + value);
        if (told.find("rc=0") != std::string::npos) ++taken;
    }
    EXPECT_GT(taken, 60'000U);
    EXPECT_LT(taken, 68'000U);
}

TEST(PmiServer, TakesBytesHoweverTheyAreCut) {
    testing::for_each_seed(30, [](Rng& rng) {
        World world({1});
        const std::string all = "cmd=init pmi_version=2 pmi_subversion=0\n" +
                                pmi2_message("cmd=kvs-put;key=a;value=1;") +
                                pmi2_message("cmd=kvs-fence;") + pmi2_message("cmd=kvs-get;key=a;");
        std::string told;
        for (std::string_view rest = all; !rest.empty();) {
            const auto part = rest.substr(0, static_cast<std::size_t>(rng.between(1, 20)));
            rest.remove_prefix(part.size());
            told += world.say(0, std::string(part));
        }
        EXPECT_TRUE(told.ends_with("cmd=kvs-get-response;rc=0;found=TRUE;value=1;")) << told;
    });
}

}  // namespace
}  // namespace berth
