// How LinuxNode takes over the runs of an earlier agent.
#include <sys/inotify.h>

#include <algorithm>

#include "berth/agent/signals.h"
#include "berth/base/codec.h"
#include "berth/host/node/linux_node_parts.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/process.h"

namespace berth {

void LinuxNodeParts::adopt() {
    for (const AttemptFolder& folder : list_attempts(options.run_dir)) adopt_attempt(folder);
}

void LinuxNodeParts::adopt_attempt(const AttemptFolder& folder) {
    const auto bytes = read_file(folder.path + "/place");
    const auto uid =
        bytes.ok() ? decode<std::uint32_t>(*bytes) : Result<std::uint32_t>(bytes.error());
    if (!uid.ok()) {  // A crash came between the folder and its first file: nothing was started.
        (void)remove_tree(folder.path);
        return;
    }
    Place place;
    place.folder = folder.path;
    adopt_user(place, *uid);
    if (confinement.usable()) place.group = confinement.job_group(*uid, folder.job);
    if (const auto client = read_file(folder.path + "/mps"); client.ok()) {
        const Result<MpsKey> key = decode<MpsKey>(*client);
        if (key.ok()) place.mps = *key;
    }
    const std::size_t alive_before = alive.size();
    for (const auto& [step, run] : folder.runs) {
        adopt_run({folder.job, folder.attempt, step}, run, place);
    }
    if (alive.size() == alive_before) {
        if (!place.group.none() && CgroupTree::populated(place.group)) {
            alive.push_back({folder.job, folder.attempt, kExternStep});
        } else {
            place.unclaimed = true;
        }
    }
    places[{folder.job, folder.attempt}] = place;
}

// Checks whether the run lives before its exit record is read. A run that ends in between is then
// found both alive and ended, never neither.
void LinuxNodeParts::adopt_run(const RunKey& key, const RunDirectory& folder, const Place& place) {
    Run run;
    run.folder = folder;
    if (confinement.usable() && !is_hook(key.step)) {
        run.group = CgroupTree::step(place.group, key.step);
    }
    run.watch = ::inotify_add_watch(folders.get(), folder.path().c_str(), IN_MOVED_TO);
    const bool has_shepherd = folder.is_locked();
    const bool has_tasks =
        run.group.none() ? folder.has_processes() : CgroupTree::populated(run.group);
    if (has_shepherd || has_tasks) alive.push_back(key);
    run.gone = !has_shepherd && (!has_tasks || !run.group.none());
    // The agent knows that a live run has started; a run that failed to start will be reported.
    const auto status = folder.status();
    run.started_told = status && status->failure.empty();
    if (run.watch >= 0) by_watch[run.watch] = key;
    Run& kept = runs[key] = std::move(run);
    refresh(key, kept);
    if (has_shepherd) {
        find_shepherd(key, kept);
    } else if (has_tasks && !kept.over) {
        shepherd_ended(key, kept);
    }
}

// A shepherd that has its lock may not have recorded its process yet.
void LinuxNodeParts::find_shepherd(const RunKey& key, Run& run) {
    if (run.gone || run.shepherd) return;
    if (const auto mark = run.folder.shepherd()) run.shepherd = open_process(*mark);
    if (run.shepherd) {
        watch_shepherd(key, run);
    } else if (!run.folder.is_locked()) {
        shepherd_ended(key, run);
    }
}

// An action for an attempt shows that the agent knows it.
LinuxNodeParts::Place* LinuxNodeParts::claim(Key key) {
    const auto place = places.find(key);
    if (place == places.end()) return nullptr;
    place->second.unclaimed = place->second.orphan = false;
    return &place->second;
}

// An attempt that the earlier agent knew and this one does not has ended and was acknowledged; only
// its removal never arrived here.
void LinuxNodeParts::list(const ListAttempts& attempts) {
    for (auto& [key, place] : places) {
        const RunKey own{key.first, key.second, kExternStep};
        const bool known = std::ranges::find(attempts.known, own) != attempts.known.end();
        place.orphan = place.unclaimed && !known;
        place.unclaimed = false;
    }
    drop_orphans();
}

bool LinuxNodeParts::is_busy(const Key& key, const Place& place) const {
    if (!place.group.none() && CgroupTree::populated(place.group)) return true;
    return std::ranges::any_of(runs, [&](const auto& one) {
        return Key(one.first.job, one.first.attempt) == key &&
               (!one.second.gone || has_processes(one.second));
    });
}

bool LinuxNodeParts::has(const Key& key) const {
    if (places.contains(key)) return true;
    const std::string folder = options.run_dir + "/" + folder_of_attempt(key.first, key.second);
    return std::ranges::any_of(leftovers, [&](const Place& left) {
        return left.folder == folder && !left.group.none() && CgroupTree::populated(left.group);
    });
}

void LinuxNodeParts::drop_orphans() {
    std::vector<Key> due;
    for (const auto& [key, place] : places) {
        if (place.orphan && !is_busy(key, place)) due.push_back(key);
    }
    for (const Key& key : due) {
        log.write(LogLevel::info, "host",
                  "removing what is left of " + folder_of_attempt(key.first, key.second) +
                      ", which the agent does not know");
        remove_attempt(key);
    }
}

}  // namespace berth
