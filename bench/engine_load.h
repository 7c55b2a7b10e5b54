// The clusters and job mixes that the engine is measured on: all GPUs busy, a deep queue, twenty
// partitions that overlap, many shapes and many end times.
#pragma once

#include <string>

#include "berth/base/rng.h"
#include "berth/engine/engine.h"

namespace berth::bench {

// heavy: the mix that Slurm was measured with, gangs of up to 16 nodes in it. philly: as the
// Philly trace has it, nine jobs of ten with one GPU.
enum class Mix : std::uint8_t { heavy, philly };

struct Load {
    std::string name;
    Mix mix = Mix::heavy;
    std::uint32_t pending = 0, nodes = 0;
};

// Every GPU of every node is held by something that runs, each with an end of its own.
Engine busy_engine(const Load& load, Rng& rng);

// One more job of the mix, as admitted.
Job random_job(const Load& load, const ClusterState& state, Time now, Rng& rng);

// Fills the queue up to load.pending.
void fill_queue(Engine& engine, const Load& load, Time now, Rng& rng);

}  // namespace berth::bench
