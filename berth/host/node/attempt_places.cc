#include "berth/host/node/attempt_places.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "berth/agent/signals.h"
#include "berth/base/codec.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

bool is_populated(const Cgroup& group) { return !group.none() && CgroupTree::populated(group); }

}  // namespace

Status AttemptPlaces::make(const LaunchAttempt& launch, const UserRecord& user) {
    AttemptPlace place;
    place.folder = description_.folder_of(launch.job, launch.attempt);
    if (::mkdir(place.folder.c_str(), 0711) != 0 && errno != EEXIST) {
        return system_error("cannot make the folder " + place.folder, errno);
    }
    ::chmod(place.folder.c_str(), 0711);  // Regardless of the umask.
    BERTH_CHECK(write_atomically(place.folder + "/place", encode(user.uid)));
    place.uid = user.uid;
    place.remove_shared_memory = launch.confinement.remove_shared_memory;
    BERTH_CHECK(shared_memory_.on_job_started(place.folder, user.uid, place.remove_shared_memory));
    BERTH_CHECK(keep_token(launch, place.folder + "/token", user));
    const Confinement& confinement = description_.confinement();
    if (confinement.usable()) {
        place.group = confinement.job_group(user.uid, launch.job);
        BERTH_CHECK(clear_group(place.group));
    }
    places_[{launch.job, launch.attempt}] = place;
    return Done{};
}

// The token authenticates the job's commands to a controller on another host. The folder is ours,
// so nobody can have placed a file there.
Status AttemptPlaces::keep_token(const LaunchAttempt& launch, const std::string& path,
                                 const UserRecord& user) const {
    const Environment given(launch.payload.environment);
    const auto token = given.get(kJobTokenVariable);
    if (!token) return Done{};
    ::unlink(path.c_str());
    const UniqueFd file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400));
    if (!file) return system_error("cannot make " + path, errno);
    BERTH_CHECK(write_all(file.get(), *token));
    if (::geteuid() == 0 && ::fchown(file.get(), user.uid, static_cast<gid_t>(-1)) != 0)
        return system_error("cannot give " + path + " to its user", errno);
    return Done{};
}

// The cgroups of a job have the same names in each of its attempts: those of the last attempt must
// be removed first.
Status AttemptPlaces::clear_group(const Cgroup& group) {
    std::erase_if(retired_, [&](const AttemptPlace& old) {
        if (old.group != group) return false;
        (void)remove_tree(old.folder);
        return true;
    });
    constexpr int kTries = 50;
    constexpr useconds_t kPause = 10'000;
    for (int i = 1;; ++i) {
        Status removed = CgroupTree::remove(group);
        if (removed.ok()) return Done{};
        if (i == kTries) return prefixed("an earlier attempt is not gone", removed.error());
        ::usleep(kPause);  // The kernel may lag a little.
    }
}

const AttemptPlace* AttemptPlaces::find(const AttemptKey& key) const {
    const auto place = places_.find(key);
    return place == places_.end() ? nullptr : &place->second;
}

AttemptPlace* AttemptPlaces::find(const AttemptKey& key) {
    const auto place = places_.find(key);
    return place == places_.end() ? nullptr : &place->second;
}

bool AttemptPlaces::any_of_user(std::uint32_t uid) const {
    return std::ranges::any_of(places_, [&](const auto& one) { return one.second.uid == uid; });
}

bool AttemptPlaces::any_client_of(const MpsKey& daemon) const {
    const auto is_client = [&](const AttemptPlace& place) { return place.mps == daemon; };
    return std::ranges::any_of(places_, [&](const auto& one) { return is_client(one.second); }) ||
           std::ranges::any_of(retired_, is_client);
}

bool AttemptPlaces::has(const AttemptKey& key) const {
    if (places_.contains(key)) return true;
    const std::string folder = description_.folder_of(key.job, key.attempt);
    return std::ranges::any_of(retired_, [&](const AttemptPlace& left) {
        return left.folder == folder && is_populated(left.group);
    });
}

AttemptPlace* AttemptPlaces::claim(const AttemptKey& key) {
    AttemptPlace* const place = find(key);
    if (place != nullptr) place->unclaimed = place->orphan = false;
    return place;
}

void AttemptPlaces::on_list(const ListAttempts& attempts) {
    for (auto& [key, place] : places_) {
        const bool known =
            std::ranges::find(attempts.known, extern_run(key)) != attempts.known.end();
        place.orphan = place.unclaimed && !known;
        place.unclaimed = false;
    }
}

std::vector<AttemptKey> AttemptPlaces::orphans_to_remove() const {
    std::vector<AttemptKey> due;
    for (const auto& [key, place] : places_) {
        if (place.orphan && !is_populated(place.group) && !runs_.is_busy(key)) due.push_back(key);
    }
    return due;
}

std::optional<AttemptPlace> AttemptPlaces::retire(const AttemptKey& key) {
    const auto place = places_.find(key);
    if (place == places_.end()) return std::nullopt;
    retired_.push_back(std::move(place->second));
    places_.erase(place);
    return retired_.back();
}

void AttemptPlaces::remove_retired() {
    std::erase_if(retired_, [&](const AttemptPlace& place) {
        if (!place.group.none() && !description_.confinement().remove(place.group).ok()) {
            return false;
        }
        if (Status removed = remove_tree(place.folder); !removed.ok()) {
            log_.write(LogLevel::warning, "host", removed.error().message);
        }
        return true;
    });
}

void AttemptPlaces::report_empty() {
    for (auto& [key, place] : places_) {
        if (!place.empty_due || is_populated(place.group) || runs_.is_busy_besides_hooks(key)) {
            continue;
        }
        place.empty_due = false;
        events_.tell(RunEmpty{extern_run(key)});
    }
}

bool AttemptPlaces::is_to_look_again() const {
    return !retired_.empty() || std::ranges::any_of(places_, [](const auto& one) {
        return one.second.empty_due || one.second.orphan;
    });
}

}  // namespace berth
