#include "berth/cli/import_slurm.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>

#include "berth/base/text.h"
#include "berth/cli/cluster_dir.h"
#include "berth/cli/import_jobs.h"
#include "berth/cli/import_plan.h"
#include "berth/cli/subcommands.h"
#include "berth/client/client.h"
#include "berth/config/files.h"
#include "berth/slurm/options/batch_script.h"
#include "berth/trust/wall_time.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;
using config::ConfigText;

constexpr std::size_t kUsagesAtOnce = 50'000;  // The controller takes 100 000 in a call.

Result<std::optional<ConfigText>> read_text(const std::string& path) {
    if (path.empty()) return std::optional<ConfigText>();
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
        return Error{ErrorCode::invalid_argument, path + " is a directory; it should be a file"};
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    // An empty file sets failbit alone: nothing was copied.
    if (!in.is_open() || text.bad()) return Error{ErrorCode::not_found, "cannot read " + path};
    return std::optional<ConfigText>({.name = path, .text = std::move(text).str()});
}

// The number of "job-12.sh"; 0: it is called otherwise.
std::uint32_t job_of_file(const std::string& name) {
    if (!name.starts_with("job-") || !name.ends_with(".sh") || name.size() < 8) return 0;
    const auto number = parse_int64(std::string_view(name).substr(4, name.size() - 7));
    if (!number.ok() || *number < 1 || *number > UINT32_MAX) return 0;
    return static_cast<std::uint32_t>(*number);
}

// A link could name any file of root's, so links are passed over.
Status read_scripts(const fs::path& folder, std::map<std::uint32_t, std::string>& scripts) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        const std::uint32_t job = job_of_file(entry.path().filename().string());
        std::error_code ignored;
        if (job == 0 || entry.is_symlink(ignored) || !entry.is_regular_file(ignored)) continue;
        if (entry.file_size(ignored) > slurm::kScriptBytesMax) continue;
        std::ifstream in(entry.path(), std::ios::binary);
        scripts.emplace(job, std::string(std::istreambuf_iterator<char>(in), {}));
    }
    if (!failed) return Done{};
    return Error{ErrorCode::not_found,
                 "cannot read the scripts in " + folder.string() + ": " + failed.message()};
}

Status check(const ImportOptions& options) {
    const bool moves_jobs = options.state != "no";
    if (moves_jobs && (options.jobs.empty() || options.owners.empty())) {
        return Error{ErrorCode::invalid_argument,
                     "--state=" + options.state + " needs --jobs and --owners"};
    }
    if (!moves_jobs &&
        !(options.jobs.empty() && options.owners.empty() && options.scripts.empty())) {
        return Error{ErrorCode::invalid_argument,
                     "--jobs, --owners and --scripts need --state=jobs or --state=running"};
    }
    return Done{};
}

Result<ImportTexts> read_all(const ImportOptions& options) {
    ImportTexts texts;
    BERTH_TRY(texts.config, fs::is_regular_file(options.conf)
                                ? config::read_beside(options.conf)
                                : config::read_directory(options.conf));
    BERTH_TRY(texts.accounts, read_text(options.dump));
    BERTH_TRY(texts.qos, read_text(options.qos));
    BERTH_TRY(texts.reservations, read_text(options.reservations));
    BERTH_TRY(texts.usage, read_text(options.usage));
    BERTH_TRY(texts.jobs, read_text(options.jobs));
    BERTH_TRY(texts.owners, read_text(options.owners));
    if (options.state == "no") return texts;
    const fs::path beside = fs::absolute(options.jobs).parent_path();
    BERTH_CHECK(
        read_scripts(options.scripts.empty() ? beside : fs::path(options.scripts), texts.scripts));
    return texts;
}

std::string counted(std::size_t count, const char* what) {
    return std::to_string(count) + " " + what;
}

class Importer {
public:
    Importer(const ImportOptions& options, ImportTexts texts, Output& output)
        : options_(options), texts_(std::move(texts)), output_(output) {}

    int run() {
        const bool starts = !options_.new_cluster.empty();
        std::optional<slurm::AccountingView> there;
        if (options_.apply && !starts) {
            auto view = view_of(client_);
            if (!view.ok()) return output_.fail(view.error().message);
            there = *std::move(view);
        }
        ImportPlan plan = plan_import(texts_, state(), there, wall_time());
        print(plan);
        if (plan.unread > 0) {
            return output_.fail(
                "nothing was changed: a file cannot be read, and --lenient does not leave out "
                "whole files; correct it, or leave out its option");
        }
        if (plan.errors > 0 && !options_.lenient) {
            return output_.fail(
                "nothing was changed: correct what the errors name, or add "
                "--lenient to leave it out");
        }
        if (!options_.apply && !starts) return 0;
        if (starts) {
            if (const int code = start(); code != 0) return code;
            const auto view = view_of(client_);
            if (!view.ok()) return output_.fail(view.error().message);
            plan = plan_import(texts_, state(), *view, wall_time());
        }
        return apply(plan);
    }

private:
    slurm::MovedState state() const {
        if (options_.state == "jobs") return slurm::MovedState::jobs;
        return options_.state == "running" ? slurm::MovedState::running : slurm::MovedState::no;
    }

    static Result<slurm::AccountingView> view_of(Client& client) {
        auto associations = client.accounts().associations();
        auto qos = client.accounts().qos();
        auto ping = client.ping();
        if (associations && qos && ping) {
            return slurm::AccountingView{ping->cluster, ping->host, *std::move(associations),
                                         *std::move(qos)};
        }
        const api::Problem& problem = !associations ? associations.problem()
                                      : !qos        ? qos.problem()
                                                    : ping.problem();
        return Error{ErrorCode::unavailable,
                     problem.title + (problem.detail.empty() ? "" : ": " + problem.detail) +
                         ": --apply needs a controller that runs; --new-cluster=DIR starts one"};
    }

    void print(const ImportPlan& plan) {
        for (const config::Finding& one : plan.findings) {
            const Colour colour = one.severity == config::Severity::error     ? Colour::red
                                  : one.severity == config::Severity::warning ? Colour::yellow
                                                                              : Colour::grey;
            output_.out() << output_.paint(config::to_string(one), colour) << '\n';
        }
        output_.out() << counted(plan.nodes, "nodes, ") << counted(plan.partitions, "partitions, ")
                      << counted(plan.qos, "QOS, ") << counted(plan.accounts, "accounts, ")
                      << counted(plan.users, "users in accounts, ")
                      << counted(plan.reservations.size(), "reservations, usage of ")
                      << counted(plan.usage.size(), "users, ")
                      << counted(plan.jobs.size(), "jobs; ") << counted(plan.errors, "errors, ")
                      << counted(plan.findings.size() - plan.errors, "warnings and notes") << '\n';
    }

    int start() {
        const bool is_file = fs::is_regular_file(options_.conf);
        const fs::path conf =
            is_file ? fs::path(options_.conf) : fs::path(options_.conf) / "slurm.conf";
        UpOptions how;
        how.state = options_.new_cluster;
        how.slurm_conf = conf.string();
        how.lenient = options_.lenient;
        if (const int code = up(how, output_); code != 0) return code;
        Endpoint endpoint;
        endpoint.socket = ClusterDir::find(options_.new_cluster).socket().string();
        endpoint_ = endpoint;
        client_ = Client(endpoint);
        return 0;
    }

    int refused(const std::string& what, const api::Problem& problem) {
        output_.note(what +
                     " is refused; what came before it is in. The same command may be "
                     "given again: what is there stays as it is");
        return output_.fail(problem);
    }

    int apply(const ImportPlan& plan) {
        for (const AccountingEdits& part : plan.edits) {
            if (const auto done = client_.accounts().edit(part); !done)
                return refused("a part of QOS and accounts", done.problem());
        }
        for (std::size_t begin = 0; begin < plan.usage.size(); begin += kUsagesAtOnce) {
            const auto from = plan.usage.begin() + static_cast<std::ptrdiff_t>(begin);
            const auto count = std::min(kUsagesAtOnce, plan.usage.size() - begin);
            api::UsagePatch patch;
            patch.entries.assign(from, from + static_cast<std::ptrdiff_t>(count));
            if (const auto done = client_.accounts().set_usage(patch); !done)
                return refused("the usage", done.problem());
        }
        const bool reserved = make_reservations(plan);
        const bool moved = move_jobs(plan);
        if (!reserved || !moved) return output_.fail("the rest is imported");
        output_.out() << output_.paint("imported", Colour::green) << '\n';
        return 0;
    }

    // Each by itself: one that is refused says nothing of the others.
    bool make_reservations(const ImportPlan& plan) {
        if (plan.reservations.empty()) return true;
        const auto there = client_.reservations();
        if (!there) {
            output_.fail(there.problem());
            return false;
        }
        bool all = true;
        for (api::ReservationCall call : plan.reservations) {
            if (std::ranges::find(*there, call.name, &api::ReservationRow::name) != there->end()) {
                output_.out() << "reservation " << call.name << " is there already\n";
                continue;
            }
            call.change.start = std::max(*call.change.start, wall_time());
            const auto made = client_.create_reservation(call);
            if (made) continue;
            output_.note("reservation " + call.name + " is refused");
            output_.fail(made.problem());
            all = false;
        }
        return all;
    }

    bool move_jobs(const ImportPlan& plan) {
        if (plan.jobs.empty()) return true;
        const Result<std::size_t> failed =
            submit_moved_jobs(plan.jobs, plan.cluster, endpoint_, output_);
        if (failed.ok()) return *failed == 0;
        output_.fail(failed.error().message);
        return false;
    }

    const ImportOptions& options_;
    ImportTexts texts_;
    Output& output_;
    Endpoint endpoint_ = find_endpoint();
    Client client_{endpoint_};
};

}  // namespace

int import_slurm(const ImportOptions& options, Output& output) {
    if (const Status checked = check(options); !checked.ok())
        return output.fail(checked.error().message);
    Result<ImportTexts> texts = read_all(options);
    if (!texts.ok()) return output.fail(texts.error().message);
    return Importer(options, *std::move(texts), output).run();
}

}  // namespace berth::cli
