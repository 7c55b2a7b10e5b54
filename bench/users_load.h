// The load of a site with many users: 5 000 of them in 100 accounts, each with shares and a past of
// its own; multifactor priorities; MaxTRESPerUser on the default QOS, which the busiest users have
// reached; nodes of several classes.
#pragma once

#include "berth/base/rng.h"
#include "berth/engine/cycle/engine.h"

namespace berth::bench {

// Nodes in one partition, accounts, users, limits and priorities of the site.
ClusterSpec users_spec(std::uint32_t nodes);

// What each user has had so far.
void set_past_usage(Engine& engine, Rng& rng);

// Some user's job from here on. Half of all jobs are of one user for each 50 nodes: they have
// reached their limit, so that what of theirs waits has no planned start.
void give_to_user(Job& job, std::uint32_t nodes, Rng& rng);
// One job in five wants one of the newer GPUs.
void ask_for_class(Job& job, Rng& rng);

}  // namespace berth::bench
