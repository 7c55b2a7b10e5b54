// berth doctor: looks at this installation, and prints what is wrong with it.
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "berth/base/text.h"
#include "berth/cli/cluster_dir.h"
#include "berth/cli/doctor.h"
#include "berth/cli/subcommands.h"
#include "berth/client/client.h"
#include "berth/config/files.h"
#include "berth/host/cgroup/cgroup_mounts.h"
#include "berth/trust/certificates.h"
#include "berth/trust/key_file.h"
#include "berth/trust/wall_time.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 5> kCommands{"sbatch", "squeue", "sinfo", "scancel", "sacct"};

// Without the nodes that a reason may go on with.
void count_waiting(Client& client, Installation& found) {
    api::JobQuery query;
    query.states = {"PENDING"};
    query.fields = {"id", "state", "reason"};
    std::map<std::string, int> reasons;
    (void)client.each_job(query, [&](api::JobRow&& job) {
        ++reasons[job.reason.substr(0, job.reason.find(','))];
        return true;
    });
    found.waiting.assign(reasons.begin(), reasons.end());
}

void look_at_controller(Installation& found) {
    const Endpoint endpoint = find_endpoint();
    const bool remote = !endpoint.host.empty();
    found.socket = remote ? endpoint.host + ":" + std::to_string(endpoint.port) : endpoint.socket;
    std::error_code ignored;
    found.has_socket = remote || fs::exists(found.socket, ignored);
    Client client(endpoint, {.timeout = std::chrono::seconds(5), .retry_for = {}});
    const Time asked = wall_time();
    auto ping = client.ping();
    found.now = wall_time();
    found.answer_took = found.now - asked;
    if (!ping.ok()) {
        found.silence = ping.problem().detail;
        return;
    }
    found.ping = std::move(ping).value();
    if (auto nodes = client.nodes()) found.nodes = std::move(nodes).value();
    count_waiting(client, found);
}

Time newest_in(const std::string& directory) {
    Time newest{};
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed)) {
        struct stat file{};
        if (::stat(entry.path().c_str(), &file) != 0 || !S_ISREG(file.st_mode)) continue;
        newest = std::max(newest, from_seconds(file.st_mtim.tv_sec));
    }
    return newest;
}

ClusterSpec look_at_config(Installation& found) {
    const auto files = config::read_directory(found.config);
    if (!files.ok()) return {};
    found.has_config = files->slurm.has_value() || files->berth.has_value();
    if (!found.has_config) return {};
    config::Loaded loaded = config::load(files.value());
    found.findings = loaded.findings;
    found.configured_at = newest_in(found.config);
    found.configures_gpus = loaded.spec.dimensions.knows_name("gpu");
    return std::move(loaded.spec);
}

void look_at_state(Installation& found) {
    std::error_code ignored;
    found.has_state = fs::exists(found.state + "/berth.db", ignored);
    struct stat file{};
    // A directory that others cannot enter hides what is in it.
    found.others_may_read_state =
        ::stat(found.state.c_str(), &file) == 0 && (file.st_mode & S_IXOTH) != 0 &&
        ::stat((found.state + "/berth.db").c_str(), &file) == 0 && (file.st_mode & S_IROTH) != 0;
    struct statvfs disk{};
    if (::statvfs(found.state.c_str(), &disk) == 0) {
        found.free_bytes =
            static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
    }
}

// Of a node that has joined; only root can tell.
void look_at_certificate(Installation& found) {
    const Result<std::string> own = read_secret_file(found.agent_state + "/tls/node.pem");
    if (!own.ok()) {
        if (own.error().code == ErrorCode::permission_denied && found.is_root)
            found.certificate_trouble = own.error().message;
        return;
    }
    const auto facts = read_certificate(*own);
    if (!facts.ok()) {
        found.certificate_trouble = facts.error().message;
        return;
    }
    found.certified_as = facts->name;
    found.certified_until = facts->not_after;
}

// Commands that are a file of their own, and not one beside this program.
void look_at_commands(Installation& found) {
    const char* const path = std::getenv("PATH");
    if (path == nullptr) return;
    for (const char* const name : kCommands) {
        for (const std::string_view folder : split(path, ':')) {
            const fs::path there = fs::path(folder) / name;
            std::error_code ignored;
            if (::access(there.c_str(), X_OK) != 0) continue;
            const bool is_ours = fs::equivalent(there, program_directory() / name, ignored);
            if (!is_ours) found.foreign_commands.emplace_back(name, there.string());
            break;
        }
    }
}

void print_json(const std::vector<Symptom>& symptoms, std::ostream& out) {
    constexpr std::array<const char*, 3> kNames{"well", "worth knowing", "wrong"};
    auto list = nlohmann::ordered_json::array();
    for (const Symptom& one : symptoms) {
        list.push_back({{"is", kNames[static_cast<std::size_t>(one.is)]},
                        {"what", one.what},
                        {"mend", one.mend}});
    }
    out << list.dump(2) << '\n';
}

void print(const std::vector<Symptom>& symptoms, Output& output) {
    for (const Symptom& one : symptoms) {
        const auto [word, colour] = one.is == Symptom::Is::well ? std::pair("ok   ", Colour::green)
                                    : one.is == Symptom::Is::wrong
                                        ? std::pair("WRONG", Colour::red)
                                        : std::pair("note ", Colour::yellow);
        output.out() << output.paint(word, colour) << "  " << one.what << '\n';
        if (!one.mend.empty()) output.out() << "       " << one.mend << '\n';
    }
}

}  // namespace

int doctor(const DoctorOptions& options, Output& output) {
    const ClusterDir up = ClusterDir::find("");
    std::error_code ignored;
    const bool of_up = fs::exists(up.config(), ignored);  // `berth up` has made this one.
    Installation found{.version = BERTH_VERSION};
    found.config = !options.config.empty() ? options.config
                   : of_up                 ? up.config().string()
                                           : "/etc/berth";
    found.state = !options.state.empty() ? options.state
                  : of_up                ? up.state().string()
                                         : "/var/lib/berth";
    found.now = wall_time();
    look_at_controller(found);
    const ClusterSpec spec = look_at_config(found);
    look_at_state(found);
    look_at_commands(found);
    found.is_root = geteuid() == 0;
    look_at_certificate(found);
    const CgroupMounts cgroups = find_cgroup_mounts();
    found.has_cgroups = cgroups.any();
    HostPlaces places{.config = found.config, .state = found.state};
    places.agent_state = found.agent_state;
    places.cgroup2 = cgroups.v1.empty() ? cgroups.unified : "";
    places.is_root = found.is_root;
    found.host = look_at_host(places, spec);
    found.has_gpus = fs::exists("/dev/nvidia0", ignored);
    const std::vector<Symptom> symptoms = diagnose(found);
    options.json ? print_json(symptoms, output.out()) : print(symptoms, output);
    const bool any_wrong = std::ranges::any_of(
        symptoms, [](const Symptom& one) { return one.is == Symptom::Is::wrong; });
    return any_wrong ? 1 : 0;
}

}  // namespace berth::cli
