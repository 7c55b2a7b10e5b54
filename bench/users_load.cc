#include "bench/users_load.h"

#include <algorithm>

#include "berth/testing/builders.h"

namespace berth::bench {
namespace {

constexpr std::int64_t kUsers = 5'000, kManyAccounts = 100;
constexpr std::int64_t kGpusOfAUser = 128;  // At once, by the default QOS: the largest gang.
constexpr const char* kNewer = "h100";

// Of ten nodes six are plain, two have newer GPUs, one has faster links, one less memory.
testing::NodeOptions class_of(std::uint32_t node) {
    testing::NodeOptions options{.memory = gib(1000)};
    const std::uint32_t place = node % 10;
    if (place == 6 || place == 7) options.gpu_type = kNewer;
    if (place == 8) options.features = {"ib"};
    if (place == 9) options.memory = gib(500);
    return options;
}

std::string user_name(std::int64_t user) { return "u" + std::to_string(user); }
std::string account_of(std::int64_t user) { return "a" + std::to_string(user % kManyAccounts); }

void add_people(ClusterSpec& spec) {
    for (std::int64_t a = 0; a < kManyAccounts; ++a) {
        spec.accounts.push_back({.name = account_of(a), .parent = "root", .shares = 1 + a % 7});
    }
    for (std::int64_t u = 0; u < kUsers; ++u) {
        spec.associations.push_back({.account = account_of(u),
                                     .user = user_name(u),
                                     .is_default = true,
                                     .shares = 1 + u % 3});
    }
}

void add_priorities(SchedulingSpec& scheduling) {
    scheduling.rules.push_back(
        {.kind = "priority", .name = "age", .weight = 1000, .settings = {{"max_age", 604'800}}});
    scheduling.rules.push_back({.kind = "priority", .name = "fair_share", .weight = 10'000});
    scheduling.rules.push_back({.kind = "priority", .name = "size", .weight = 500});
    scheduling.rules.push_back({.kind = "priority", .name = "qos", .weight = 1000});
    scheduling.rules.push_back({.kind = "priority", .name = "nice", .weight = 1});
}

}  // namespace

ClusterSpec users_spec(std::uint32_t nodes) {
    ClusterSpec spec = testing::make_cluster(0);
    for (std::uint32_t n = 0; n < nodes; ++n) {
        testing::add_node(spec, "node" + std::to_string(n + 1), class_of(n));
    }
    if (spec.qos.empty()) spec.qos.push_back({.name = "normal"});
    spec.qos.front().limits.max_tres_per_user = {{"gres/gpu", kGpusOfAUser}};
    add_people(spec);
    std::erase_if(spec.scheduling.rules,
                  [](const RuleSpec& rule) { return rule.kind == "priority"; });
    add_priorities(spec.scheduling);
    spec.scheduling.enforce_limits = true;
    return spec;
}

void set_past_usage(Engine& engine, Rng& rng) {
    UsageSet past;
    for (std::int64_t u = 0; u < kUsers; ++u) {
        past.entries.push_back({account_of(u), user_name(u), rng.between(0, 50'000'000)});
    }
    engine.apply(Time{}, past);
}

void give_to_user(Job& job, std::uint32_t nodes, Rng& rng) {
    const std::int64_t last = rng.chance(50) ? std::max(nodes / 50, 1U) - 1 : kUsers - 1;
    const std::int64_t user = rng.between(0, last);
    job.owner = Owner{static_cast<std::uint32_t>(1000 + user), 1000, user_name(user), "users"};
    job.spec.account = account_of(user);
}

void ask_for_class(Job& job, Rng& rng) {
    if (!rng.chance(20)) return;
    JobRequest request = *job.spec.request;
    std::vector<GresRequest> gpus = *request.gpus_per_node;
    for (GresRequest& one : gpus) one.type = kNewer;
    request.gpus_per_node = std::move(gpus);
    job.spec.request = std::move(request);
}

}  // namespace berth::bench
