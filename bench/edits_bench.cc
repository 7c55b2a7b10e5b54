// Edits of accounts, partitions and nodes while a long queue waits: sacctmgr modify account … set
// GrpTRES=…, a user who is added, scontrol update partition …. CPU time until the engine has
// decided again, beside a configuration that is installed anew, after which all is derived from
// scratch. Then what edits of accounts cost on an idle cluster of any size: to admit and apply one,
// and the copy of the configuration that readers get after it; and 30 000 users who are loaded.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "bench/engine_load.h"
#include "bench/users_load.h"
#include "berth/base/codec.h"
#include "berth/engine/admission/accounting_admission.h"
#include "berth/testing/builders.h"

namespace berth::bench {
namespace {

constexpr Time kStart{};

double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct EditTimes {
    std::vector<double> applied, decided;
};

double median(std::vector<double> all) {
    std::ranges::sort(all);
    return all[all.size() / 2];
}

void print(const char* name, const EditTimes& times) {
    std::printf("%-28s %12.2f ms %14.2f ms\n", name, median(times.applied), median(times.decided));
    std::fflush(stdout);
}

template <class Make>
EditTimes measure(Engine& engine, int times, Make make) {
    EditTimes taken;
    for (int i = 0; i < times; ++i) {
        const Fact fact = make(i);
        const double begin = cpu_ms();
        engine.apply(kStart, fact);
        const double applied = cpu_ms();
        run_cycles(engine, kStart, [](const Cycle&) {});
        taken.applied.push_back(applied - begin);
        taken.decided.push_back(cpu_ms() - begin);
        engine.mutable_state().take_touched();
    }
    return taken;
}

// Another limit for each of a few accounts in turn.
AccountingEdited other_limit(const Engine& engine, int i) {
    AccountSpec account = engine.state().spec().accounts[static_cast<std::size_t>(i) % 7];
    account.limits.group_tres = {{"gres/gpu", 4000 + i}};
    AccountingEdits edits;
    edits.accounts.push_back(std::move(account));
    return {std::move(edits)};
}

AccountingEdited other_user(int i) {
    AccountingEdits edits;
    edits.associations.push_back({.account = "a1", .user = "new" + std::to_string(i)});
    return {std::move(edits)};
}

// scontrol update partition … MaxTime= and Nodes=, and scontrol update node … Weight=.
ClusterEdited other_time(int i) {
    PartitionEdit edit{.name = "main", .change = {}};
    edit.change.max_time = std::to_string(10 + i) + "-0";
    return {{.partitions = {std::move(edit)}, .nodes = {}}};
}

ClusterEdited other_nodes(const Engine& engine, int i) {
    PartitionEdit edit{.name = "main", .change = {}};
    edit.change.nodes.emplace();
    for (const NodeSpec& node : engine.state().spec().nodes) {
        edit.change.nodes->push_back(node.name);
    }
    edit.change.nodes->resize(edit.change.nodes->size() - static_cast<std::size_t>(i + 1));
    return {{.partitions = {std::move(edit)}, .nodes = {}}};
}

ClusterEdited other_weight(const Engine& engine, int i) {
    NodeEdit edit{.name = engine.state().spec().nodes[static_cast<std::size_t>(i)].name,
                  .change = {}};
    edit.change.weight = 7;
    return {{.partitions = {}, .nodes = {std::move(edit)}}};
}

// A partition that no job waits for.
ClusterEdited other_partition(int i) {
    PartitionEdit edit{.name = "quiet", .change = {}};
    edit.is_new = i == 0;
    edit.change.max_time = std::to_string(10 + i) + "-0";
    return {{.partitions = {std::move(edit)}, .nodes = {}}};
}

void run(std::uint32_t pending, std::uint32_t nodes) {
    const Load load{"edits", Mix::heavy, pending, nodes, Owners::users};
    Rng rng(42);
    Engine engine = busy_engine(load, rng);
    fill_queue(engine, load, kStart, rng);
    run_cycles(engine, kStart, [](const Cycle&) {});
    engine.mutable_state().take_touched();
    std::printf("%u pending, %u nodes, %zu associations; median of applied, and decided again\n",
                pending, nodes, engine.state().spec().associations.size());
    print("limit of an account", measure(engine, 9, [&](int i) { return other_limit(engine, i); }));
    print("a user more", measure(engine, 5, other_user));
    print("time of a quiet partition", measure(engine, 9, other_partition));
    print("time of the partition", measure(engine, 5, other_time));
    print("a node leaves the partition",
          measure(engine, 5, [&](int i) { return other_nodes(engine, i); }));
    print("weight of a node", measure(engine, 5, [&](int i) { return other_weight(engine, i); }));
    print("all made anew",
          measure(engine, 3, [&](int) { return SpecInstalled{engine.state().spec()}; }));
}

// As the controller does it in a turn: admit_edits(), the fact, and a new configuration for
// readers.
struct AdmittedTimes {
    std::vector<double> decided, published;
};

AdmittedTimes measure_admitted(Engine& engine, int times,
                               const std::function<AccountingEdits(int)>& make) {
    std::vector<double> decided, published;
    auto current = std::make_shared<const ClusterSpec>(engine.state().spec());
    for (int i = 0; i < times; ++i) {
        AccountingEdits asked = make(i);
        const double begin = cpu_ms();
        auto admitted = admit_edits(engine.state(), std::move(asked));
        engine.apply(kStart, AccountingEdited{std::get<AccountingEdits>(std::move(admitted))});
        const double between = cpu_ms();
        current = std::make_shared<const ClusterSpec>(engine.state().spec());
        published.push_back(cpu_ms() - between);
        decided.push_back(between - begin);
        engine.mutable_state().take_touched();
    }
    return {std::move(decided), std::move(published)};
}

void print_admitted(const char* name, double decided, double published) {
    std::printf("%-28s %12.3f ms %14.3f ms\n", name, decided, published);
    std::fflush(stdout);
}

void time_admitted(Engine& engine, const char* name,
                   const std::function<AccountingEdits(int)>& make) {
    const AdmittedTimes times = measure_admitted(engine, 21, make);
    print_admitted(name, median(times.decided), median(times.published));
}

// As `sacctmgr load` sends them: 6 calls of 5 000, whose times are added up.
void time_loaded() {
    Engine engine = testing::make_engine(users_spec(1'000));
    const AdmittedTimes times = measure_admitted(engine, 6, [](int call) {
        AccountingEdits edits;
        for (int u = 0; u < 5'000; ++u) {
            edits.associations.push_back({.account = "a" + std::to_string(u % 100),
                                          .user = "load" + std::to_string(5'000 * call + u)});
        }
        return edits;
    });
    std::printf("idle, 1000 nodes; sum of 6 calls of 5 000 users, decided and published\n");
    print_admitted("30 000 users more",
                   std::accumulate(times.decided.begin(), times.decided.end(), 0.0),
                   std::accumulate(times.published.begin(), times.published.end(), 0.0));
}

void run_idle(std::uint32_t nodes) {
    Engine engine = testing::make_engine(users_spec(nodes));
    std::printf("idle, %u nodes, %zu associations; median of decided, and published\n", nodes,
                engine.state().spec().associations.size());
    time_admitted(engine, "limit of an account",
                  [&](int i) { return other_limit(engine, i).edits; });
    time_admitted(engine, "a user more", [](int i) { return other_user(i).edits; });
    time_admitted(engine, "100 users more", [](int i) {
        AccountingEdits edits;
        for (int u = 0; u < 100; ++u) merge(edits, other_user(1000 + 100 * i + u).edits);
        return edits;
    });
    const auto times = [](auto&& hash) {
        std::vector<double> all;
        for (int i = 0; i < 21; ++i) {
            const double begin = cpu_ms();
            hash();
            all.push_back(cpu_ms() - begin);
        }
        return median(all);
    };
    std::uint64_t sum = 0;
    std::printf("%-28s %12.3f ms\n", "hash of the state",
                times([&] { sum += engine.state().hash(); }));
    std::printf("%-28s %12.3f ms\n", "hash of the configuration",
                times([&] { sum += hash_of(engine.state().spec()); }));
    std::printf("(%016llx)\n", static_cast<unsigned long long>(sum));
}

}  // namespace
}  // namespace berth::bench

int main() {
    for (const std::uint32_t nodes : {1'000U, 10'000U}) berth::bench::run_idle(nodes);
    berth::bench::time_loaded();
    berth::bench::run(10'000, 1'000);
    berth::bench::run(100'000, 1'000);
    return 0;
}
