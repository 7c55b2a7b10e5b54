// The planner against an oracle that tries everything: random small clusters and queues, planned
// from nothing, then kept while jobs end early and others come, in some worlds with few moves a
// cycle. BERTH_SEEDS=30000 looks at more than 100 000 plans; `./dev check` does. And five planted
// bugs, each of which must be told.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "berth/engine/derived/derived_state.h"
#include "berth/sim/faulty_planner.h"
#include "berth/testing/builders.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

constexpr std::uint32_t kBudget = 1'000'000;

std::int64_t ms(Time at) { return at.time_since_epoch().count(); }

// A world of a few nodes; each picture of it is an instance for the oracle.
class World {
public:
    World(Rng& rng, sim::InjectedFault bug, std::ostream& out) : rng_(rng), out_(out) {
        ClusterSpec spec = testing::make_cluster(
            static_cast<std::uint32_t>(rng.between(1, 4)),
            {.sockets = 1, .cores_per_socket = 12, .gpus = rng.chance(50) ? 8U : 4U});
        spec.scheduling.kill_wait = rng.chance(50) ? Duration{} : std::chrono::seconds(30);
        if (rng.chance(50)) spec.licenses = {{"seat", rng.between(1, 4)}};
        depth_ = rng.chance(50) ? 1000 : rng.between(1, 4);  // Else EASY.
        spec.scheduling.plan_depth = static_cast<std::uint32_t>(depth_);
        moves_max_ = rng.chance(30) ? rng.between(1, 3) : 0;
        engine_ = testing::make_engine(std::move(spec));
        engine_.limit_moves(static_cast<std::uint32_t>(moves_max_));
        sim::inject(engine_, bug);
    }

    std::size_t run() {
        submit(rng_.between(0, 6));
        cycle();
        const JobSet left = engine_.state().index().pending();
        for (const JobId id : left) engine_.apply(now_, JobCancelled{.job = id});
        pass(std::chrono::minutes(rng_.between(0, 5)), false);
        submit(rng_.between(1, 10));
        picture(true);
        for (std::int64_t i = rng_.between(2, 4); i > 0; --i) {
            pass(std::chrono::minutes(rng_.between(0, 4)), true);
            end_some(15);
            if (rng_.chance(50)) submit(1);
            picture(false);
        }
        return pictures_;
    }

private:
    void submit(std::int64_t jobs) {
        for (; jobs > 0; --jobs) {
            testing::JobOptions options;
            options.gpus = rng_.between(0, 4);
            if (rng_.chance(20)) options.gpus = rng_.between(1, 8);
            options.cpus = static_cast<std::uint32_t>(rng_.between(1, 6));
            options.limit = std::chrono::minutes(rng_.between(1, 12));
            if (rng_.chance(30)) options.nodes = static_cast<std::uint32_t>(rng_.between(2, 4));
            const auto& nodes = engine_.state().spec().nodes;
            options.nodes =
                std::min<std::uint32_t>(options.nodes, static_cast<std::uint32_t>(nodes.size()));
            options.gpus = std::min<std::int64_t>(
                options.gpus, static_cast<std::int64_t>(nodes.front().devices.size()));
            JobSpec job = testing::make_job(options);
            const auto& licenses = engine_.state().spec().licenses;
            if (!licenses.empty() && rng_.chance(40)) {
                const std::int64_t most = std::min<std::int64_t>(licenses.front().total, 3);
                job.request.edit().licenses =
                    LicenseRequest{{{"seat", rng_.between(1, most)}}, false};
            }
            testing::submit(engine_, now_, job);
        }
    }

    std::vector<JobId> cycle() {
        std::vector<JobId> started;
        for (bool again = true; again;) {
            const Cycle cycle = engine_.cycle(now_, kBudget);
            again = !cycle.complete;
            wake_at_ = cycle.wake_at;
            for (const Fact& fact : cycle.decisions) {
                if (const auto* start = std::get_if<StartJob>(&fact)) started.push_back(start->job);
                if (const auto* end = std::get_if<EndJob>(&fact)) {
                    testing::finish(engine_, now_, end->job);
                    again = true;
                }
            }
        }
        return started;
    }

    // Those whose time is up, and perhaps others.
    void end_some(int percent) {
        const JobSet running = engine_.state().index().holding();
        for (const JobId id : running) {
            const Job& job = *engine_.state().find_job(id);
            if (*job.started_at + job.time_limit <= now_ || rng_.chance(percent)) {
                testing::finish(engine_, now_, id);
            }
        }
    }

    // Whatever is due on the way happens when it is due.
    void pass(Duration length, bool look) {
        const Time until = now_ + length;
        while (now_ < until) {
            now_ = wake_at_ ? std::clamp(*wake_at_, now_ + Duration(1), until) : until;
            end_some(0);
            if (look) {
                picture(false);
            } else {
                cycle();
            }
        }
    }

    static std::int64_t seats(const std::vector<LicenseCount>& licenses) {
        return licenses.empty() ? 0 : licenses.front().count;
    }

    static void write_amounts(std::ostream& out, const PlannedStart& planned) {
        out << planned.amounts.size();
        for (const auto& [node, amount] : planned.amounts) {
            out << ' ' << node.index() << " 0 " << amount.cpu().count() / 1000;
        }
    }

    static void write_shares(std::ostream& out, const std::vector<NodeShare>& shares) {
        out << shares.size();
        for (const NodeShare& share : shares) {
            out << ' ' << share.node.index() << ' ' << share.devices << ' ' << share.cpus;
        }
    }

    void write_job(std::ostream& out, const Job& job, std::int64_t before) const {
        const auto& gpus = job.spec.request->gpus_per_node;
        out << "job " << job.id.value() << ' ' << job.spec.request->nodes_min << ' '
            << (gpus.empty() ? 0 : gpus.front().count) << ' ' << *job.spec.request->cpus_per_task
            << ' ' << seats(job.spec.request->licenses->counts) << ' ' << job.time_limit.count()
            << ' ';
        if (job.allocation) {
            out << "2 " << ms(*job.started_at) << ' ' << ms(*job.started_at + job.time_limit) << ' '
                << before << ' ';
            write_shares(out, job.allocation->shares);
        } else if (const PlannedStart* planned = engine_.state().schedule().planned(job.id)) {
            out << "1 " << ms(planned->start) << ' ' << ms(planned->end) << ' ' << before << ' ';
            write_amounts(out, *planned);
        } else {
            out << "0 0 0 " << before << " 0";
        }
        out << '\n';
    }

    std::int64_t seats_in_all() const {
        const auto& licenses = engine_.state().spec().licenses;
        return licenses.empty() ? 0 : licenses.front().total;
    }

    // One cycle, and what became of it: those that have started, in that order, and who waits.
    void picture(bool strict) {
        std::map<JobId, std::int64_t> before;
        for (const auto& [id, planned] : engine_.state().schedule().planned_starts())
            before[id] = ms(planned.start);
        const std::vector<JobId> started = cycle();
        const std::set<JobId> new_ones(started.begin(), started.end());
        std::ostringstream text;
        const auto& nodes = engine_.state().spec().nodes;
        const Duration slack = 2 * engine_.state().spec().scheduling.kill_wait;
        const int how = strict ? 1 : moves_max_ > 0 ? 2 : 0;
        text << "instance " << ms(now_) << ' ' << nodes.size() << ' ' << how << ' ' << depth_ << ' '
             << slack.count() << ' ' << seats_in_all() << '\n';
        for (const NodeSpec& node : nodes) {
            text << "node " << node.devices.size() << ' ' << node.cpus() << '\n';
        }
        for (const JobId id : engine_.state().index().holding()) {
            if (new_ones.contains(id)) continue;
            const Job& job = *engine_.state().find_job(id);
            text << "running " << ms(*job.started_at + job.time_limit) << ' '
                 << seats(job.allocation->licenses) << ' ';
            write_shares(text, job.allocation->shares);
            text << '\n';
        }
        // By id is in order, as far as it was planned in one go: priority/basic.
        JobSet all = engine_.state().index().pending();
        std::vector<JobId> order;
        if (strict) {
            for (const JobId id : started) all.insert(id);
        } else {
            order = started;
        }
        order.insert(order.end(), all.begin(), all.end());
        for (const JobId id : order) {
            const auto known = before.find(id);
            write_job(text, *engine_.state().find_job(id),
                      known == before.end() ? -1 : known->second);
        }
        out_ << text.str() << "end\n";
        ++pictures_;
    }

    Rng& rng_;
    std::ostream& out_;
    Engine engine_;
    Time now_{std::chrono::minutes(1)};
    std::optional<Time> wake_at_;
    std::int64_t depth_ = 0, moves_max_ = 0;
    std::size_t pictures_ = 0;
};

// The n-th instance in a file, from 0 on.
std::string instance_in(const std::string& file, std::size_t n) {
    std::ifstream in(file);
    std::string text;
    for (std::string line; std::getline(in, line);) {
        if (n == 0) text += line + '\n';
        if (line != "end") continue;
        if (n == 0) return text;
        --n;
    }
    return text;
}

// What the oracle says of each instance in a file. `show`: the first that is wrong is printed.
std::map<std::string, std::size_t> verdicts(const std::string& file, bool show) {
    const std::string command = std::string(BERTH_PLAN_ORACLE) + " < " + file;
    std::map<std::string, std::size_t> counts;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 64> line{};
    std::size_t judged = 0;
    while (pipe != nullptr && std::fgets(line.data(), line.size(), pipe) != nullptr) {
        std::string word(line.data());
        while (!word.empty() && word.back() == '\n') word.pop_back();
        ++counts[word];
        if (word != "ok" && std::exchange(show, false)) {
            std::printf("%s: %s", word.c_str(), instance_in(file, judged).c_str());
        }
        ++judged;
    }
    EXPECT_TRUE(pipe != nullptr && pclose(pipe) == 0) << command;
    return counts;
}

std::string file_for(const std::string& name) {
    return ::testing::TempDir() + "plan_oracle_" + name + "_" + std::to_string(getpid());
}

std::map<std::string, std::size_t> judge_worlds(int worlds, sim::InjectedFault bug,
                                                const std::string& name) {
    const std::string file = file_for(name);
    std::map<std::string, std::size_t> counts;
    std::size_t pictures = 0, judged = 0;
    std::ofstream out(file);
    const auto flush = [&] {
        out.close();
        for (const auto& [word, count] : verdicts(file, bug == sim::InjectedFault::none)) {
            counts[word] += count;
            judged += count;
        }
        out.open(file, std::ios::trunc);
    };
    int in_file = 0;
    testing::for_each_seed(worlds, [&](Rng& rng) {
        out << "seed " << in_file + 1 << '\n';  // Which the oracle skips.
        pictures += World(rng, bug, out).run();
        if (++in_file % 2000 == 0) flush();
    });
    flush();
    EXPECT_EQ(pictures, judged);
    std::remove(file.c_str());
    return counts;
}

TEST(PlanOracle, FindsNothingWrong) {
    const auto counts = judge_worlds(1500, sim::InjectedFault::none, "none");
    for (const auto& [word, count] : counts) {
        EXPECT_EQ(word, "ok") << count << " plans";
    }
    EXPECT_GT(counts.at("ok"), 0U);
    RecordProperty("plans", std::to_string(counts.at("ok")));
    std::printf("%zu plans\n", counts.at("ok"));
}

struct Planted {
    sim::InjectedFault bug;
    const char* name;
    const char* caught_as;
};

class PlanOracleBugs : public ::testing::TestWithParam<Planted> {};

TEST_P(PlanOracleBugs, AreCaughtByName) {
    const auto counts = judge_worlds(60, GetParam().bug, GetParam().name);
    EXPECT_TRUE(counts.contains(GetParam().caught_as)) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(
    All, PlanOracleBugs,
    ::testing::Values(
        Planted{sim::InjectedFault::forgets_planned_starts, "forgets_promises", "overlap"},
        Planted{sim::InjectedFault::books_too_short, "books_too_short", "short"},
        Planted{sim::InjectedFault::overlooks_a_free_slot, "overlooks_a_hole", "late"},
        Planted{sim::InjectedFault::breaks_planned_starts, "breaks_promises", "broken"},
        Planted{sim::InjectedFault::tears_cliques, "tears_cliques", "clique"}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace berth
