#include "berth/host/node/adopt_attempts.h"

#include "berth/agent/signals.h"
#include "berth/base/codec.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

// nullopt: a crash came between the folder and its first file, so nothing was started.
std::optional<AttemptPlace> place_in(const AttemptFolder& folder,
                                     const NodeDescription& description,
                                     SharedMemoryWatch& shared_memory) {
    const auto bytes = read_file(folder.path + "/place");
    const auto uid =
        bytes.ok() ? decode<std::uint32_t>(*bytes) : Result<std::uint32_t>(bytes.error());
    if (!uid.ok()) return std::nullopt;
    AttemptPlace place;
    place.folder = folder.path;
    place.uid = *uid;
    place.remove_shared_memory = shared_memory.on_job_adopted(folder.path, *uid);
    const Confinement& confinement = description.confinement();
    if (confinement.usable()) place.group = confinement.job_group(*uid, folder.job);
    if (const auto client = read_file(folder.path + "/mps"); client.ok()) {
        const Result<MpsKey> key = decode<MpsKey>(*client);
        if (key.ok()) place.mps = *key;
    }
    return place;
}

}  // namespace

std::vector<RunKey> adopt_attempts(const NodeDescription& description, AttemptPlaces& places,
                                   LiveRuns& runs, SharedMemoryWatch& shared_memory) {
    std::vector<RunKey> alive;
    for (const AttemptFolder& folder : list_attempts(description.options().run_dir)) {
        std::optional<AttemptPlace> place = place_in(folder, description, shared_memory);
        if (!place) {
            (void)remove_tree(folder.path);
            continue;
        }
        const std::size_t alive_before = alive.size();
        for (const auto& [step, run] : folder.runs) {
            const RunKey key{folder.job, folder.attempt, step};
            const bool is_grouped = description.confinement().usable() && !is_hook(step);
            const Cgroup group = is_grouped ? CgroupTree::step(place->group, step) : Cgroup{};
            if (runs.adopt(key, run, group)) alive.push_back(key);
        }
        if (alive.size() == alive_before) {
            if (!place->group.none() && CgroupTree::populated(place->group)) {
                alive.push_back({folder.job, folder.attempt, kExternStep});
            } else {
                place->unclaimed = true;
            }
        }
        places.adopt({folder.job, folder.attempt}, *std::move(place));
    }
    return alive;
}

}  // namespace berth
