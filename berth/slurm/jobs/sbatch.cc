// sbatch: submits a script.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <istream>
#include <map>
#include <ostream>
#include <sstream>

#include "berth/client/client.h"
#include "berth/client/host_name.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/jobs/job_commands.h"
#include "berth/slurm/jobs/job_wait.h"
#include "berth/slurm/jobs/next_component.h"
#include "berth/slurm/jobs/option_variables.h"
#include "berth/slurm/jobs/submit_warnings.h"
#include "berth/slurm/jobs/test_only.h"
#include "berth/slurm/options/acting_user.h"
#include "berth/slurm/options/advice.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/batch_script.h"
#include "berth/slurm/options/clusters.h"
#include "berth/slurm/options/foreign_directives.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/options/job_options.h"
#include "berth/slurm/options/option_fault.h"
#include "berth/slurm/options/option_help.h"
#include "berth/slurm/options/shell.h"
#include "berth/slurm/options/submit_environment.h"

namespace berth::slurm {
namespace {

constexpr const char* kSbatchUsage =
    "Usage: sbatch [OPTIONS(0)...] [ : [OPTIONS(N)...]] script(0) [args(0)...]\n";

constexpr const char* kPackjob =
    "sbatch: Warning: the \"packjob\" component separator is being deprecated. Please, use "
    "\"hetjob\" instead.\n";

class Sbatch {
public:
    Sbatch(const Invocation& call, Streams& streams) : call_(call), streams_(streams) {}

    int run() {
        // The command line is read first, for it says where the script is, and applied last, for it
        // wins.
        std::vector<JobDraft> from_command_line;
        if (const auto code = read_command_lines(from_command_line)) return *code;
        if (const Status script = read_script(from_command_line.front()); !script.ok())
            return fail(script.error().message, 1);
        std::vector<JobDraft> drafts;
        if (const auto code = read_components(from_command_line.front(), drafts)) return *code;
        if (drafts.front().verbose > 0) {
            defined_["verbose"] = std::to_string(drafts.front().verbose);
            print_defined("sbatch", {defined_.begin(), defined_.end()}, streams_.err);
        }
        for (JobDraft& draft : drafts) {
            if (const Status checked = check_gpus_of_tasks(draft); !checked.ok())
                return fail(option_fault("sbatch", checked.error()).text, 1);
            if (const Status checked = check_together(draft, call_, streams_); !checked.ok())
                return fail(option_fault("sbatch", checked.error()).text, 1);
            complete(draft);
        }
        const ActingUser& acting = drafts.front().of_submission.acting;
        if (const Status done = become_acting_user(acting, endpoint_of(call_)); !done.ok())
            return fail(done.error().message, 1);
        return submit(drafts);
    }

private:
    int fail(const std::string& message, int code) {
        streams_.err << "sbatch: error: " << message << '\n' << advice_on_error(call_, message);
        return error_exit_code(call_, code);
    }

    // An exit code if the run ends here.
    std::optional<int> read_command_line(const Invocation& call, JobDraft& draft,
                                         std::vector<std::string>& operands) {
        const auto rows = getopt_rows(kSbatch);
        ArgumentReader reader(call, rows, getopt_letters(kSbatch), true);
        while (const auto argument = reader.next(streams_)) {
            if (argument->letter == 'V') return streams_.out << kVersion << '\n', 0;
            if (argument->letter == 'h')
                return streams_.out << kSbatchUsage << job_options_help(kSbatch), 0;
            const JobOption& row = *option_of(kSbatch, argument->letter);
            if (const Status set = apply_option(row, draft, argument->value); !set.ok()) {
                const OptionFault fault = option_fault(call_.name, set.error());
                const int code = fail(fault.text, fault.exit_code);
                streams_.err << advice_on_option(call_, row.name);
                return code;
            }
            defined_[row.name] = argument->value == nullptr ? "set" : argument->value;
        }
        if (reader.failed()) {
            streams_.err << "Try \"sbatch --help\" for more information\n";
            return kOptionError;
        }
        operands = reader.operands();
        draft.verbose += reader.verbosity();
        return std::nullopt;
    }

    // "a : b script": the options of one component of a heterogeneous job after the other.
    std::optional<int> read_command_lines(std::vector<JobDraft>& drafts) {
        Invocation part = call_;
        for (std::size_t i = 0;; ++i) {
            drafts.resize(i + 1);
            parts_.push_back(part);
            if (const auto code = read_command_line(part, drafts[i], operands_)) return code;
            if (operands_.empty() || operands_.front() != ":") break;
            part.arguments.assign(operands_.begin() + 1, operands_.end());
        }
        gather(drafts);
        return std::nullopt;
    }

    // One after the other: its #SBATCH lines, the environment, and its part of the command line.
    std::optional<int> read_components(const JobDraft& first, std::vector<JobDraft>& drafts) {
        const auto sections = sections_of(script_);
        for (std::size_t i = 0; i < std::max(sections.size(), parts_.size()); ++i) {
            drafts.push_back(i == 0 ? JobDraft{} : next_component(drafts.back()));
            JobDraft& draft = drafts.back();
            const int verbose = draft.verbose;
            if (i == 0 && !ignores_pbs(first)) {
                if (const auto code = read_foreign(draft)) return code;
            }
            if (i < sections.size()) {
                if (const auto code = read_directives(sections[i], draft)) return code;
            }
            draft.verbose = verbose;  // In a script, -v and -Q have no effect.
            draft.quiet = false;
            if (const Status read = apply_environment(call_, kSbatch, draft); !read.ok())
                return fail(read.error().message, kOptionError);
            if (i >= parts_.size()) continue;
            std::vector<std::string> operands;
            if (const auto code = read_command_line(parts_[i], draft, operands)) return code;
        }
        gather(drafts);
        return std::nullopt;
    }

    bool ignores_pbs(const JobDraft& first) const {
        return first.of_script.ignore_pbs || call_.variable("SBATCH_IGNORE_PBS") != nullptr;
    }

    // What is the whole submission's may stand at any component.
    static void gather(std::vector<JobDraft>& drafts) {
        JobDraft& whole = drafts.front();
        for (const JobDraft& one : drafts) {
            if (!whole.of_script.wrap) whole.of_script.wrap = one.of_script.wrap;
            whole.parsable = whole.parsable || one.parsable;
            whole.quiet = whole.quiet || one.quiet;
            whole.wait = whole.wait || one.wait;
            join_acting_user(whole.of_submission.acting, one.of_submission.acting);
            whole.test_only = whole.test_only || one.test_only;
        }
    }

    void say_line(const Directive& directive) {
        streams_.err << "sbatch: error: in #SBATCH line " << directive.line << " of the script\n";
    }

    int refuse_quote(const Directive& directive) {
        streams_.err << "sbatch: fatal: " << (operands_.empty() ? script_name_ : operands_.front())
                     << ": line " << directive.line << ": Unmatched `"
                     << directive.unmatched.front() << "` in [" << directive.unmatched.substr(1)
                     << "]\n";
        return error_exit_code(call_, 1);
    }

    // #PBS and #BSUB lines, which #SBATCH lines override.
    std::optional<int> read_foreign(JobDraft& draft) {
        for (const Directive& directive : directives_of(script_)) {
            if (std::ranges::find(directive.words, "--ignore-pbs") != directive.words.end())
                return std::nullopt;
        }
        const auto foreign = foreign_directives(script_);
        if (!foreign.ok()) return fail(foreign.error().message, 1);
        for (const Directive& directive : *foreign) {
            if (!directive.unmatched.empty()) return refuse_quote(directive);
            Invocation line = call_;
            line.arguments = directive.words;
            std::vector<std::string> rest;
            if (const auto code = read_command_line(line, draft, rest)) {
                streams_.err << "sbatch: error: in line " << directive.line << " of the script\n";
                return code;
            }
        }
        return std::nullopt;
    }

    std::optional<int> read_directives(const std::vector<Directive>& section, JobDraft& draft) {
        for (const Directive& directive : section) {
            if (!directive.unmatched.empty()) return refuse_quote(directive);
            Invocation line = call_;
            line.arguments = directive.words;
            std::vector<std::string> rest;
            if (const auto code = read_command_line(line, draft, rest)) {
                say_line(directive);
                return code;
            }
            if (draft.of_script.wrap) {
                return fail("#SBATCH line " + std::to_string(directive.line) +
                                ": --wrap is for the command line only",
                            1);
            }
            if (rest.empty()) continue;
            fail("Invalid directive found in batch script: " + rest.front(), 1);
            say_line(directive);
            return error_exit_code(call_, kOptionError);
        }
        return std::nullopt;
    }

    // A line "#SBATCH hetjob" begins the next component.
    std::vector<std::vector<Directive>> sections_of(std::string_view script) {
        std::vector<std::vector<Directive>> sections(1);
        for (Directive& directive : directives_of(script)) {
            const bool is_pack = directive.words.front() == "packjob";
            if (directive.words.size() == 1 && (is_pack || directive.words[0] == "hetjob")) {
                if (is_pack) streams_.err << kPackjob;
                sections.emplace_back();
            } else {
                sections.back().push_back(std::move(directive));
            }
        }
        return sections;
    }

    Status read_script(const JobDraft& draft) {
        if (draft.of_script.wrap) {
            if (!operands_.empty()) {
                return Error{ErrorCode::invalid_argument,
                             "Script arguments not permitted with --wrap option"};
            }
            script_name_ = "wrap";
            script_ = "#!/bin/sh\n# This script was created by sbatch --wrap.\n\n" +
                      *draft.of_script.wrap + "\n";
            return check_script(script_);
        }
        std::ostringstream text;
        if (operands_.empty()) {
            script_name_ = "sbatch";  // From standard input.
            text << streams_.in.rdbuf();
        } else {
            script_name_ = std::filesystem::absolute(operands_.front()).lexically_normal().string();
            std::error_code ignored;
            if (std::filesystem::is_directory(script_name_, ignored)) {
                return Error{ErrorCode::invalid_argument,
                             "Unable to open file " + operands_.front()};
            }
            std::ifstream file(script_name_, std::ios::binary);
            if (!file)
                return Error{ErrorCode::not_found, "Unable to open file " + operands_.front()};
            text << file.rdbuf();
        }
        script_ = std::move(text).str();
        return check_script(script_);
    }
    void complete(JobDraft& draft) {
        JobSpec& spec = draft.spec;
        if (spec.name.empty()) spec.name = std::filesystem::path(script_name_).filename().string();
        JobCommand& command = spec.command.edit();
        command.script_name = script_name_;
        if (!operands_.empty() && !draft.of_script.wrap)
            command.arguments.assign(operands_.begin() + 1, operands_.end());
        command.work_dir = work_dir_of(command.work_dir);
        command.submit_host = short_host_name();
        command.submit_line = line_of(call_);
        command.inherited = inherited_from_shell(call_, draft.propagate);
    }

    // What the sruns of the script take over.
    static void add_settings_of_sruns(const JobDraft& draft,
                                      std::vector<std::string>& environment) {
        const auto add = [&](std::string_view name, std::string_view value) {
            if (!value.empty()) environment.push_back(std::string(name) + "=" + std::string(value));
        };
        const JobCommand& command = draft.spec.command;
        if (command.append_output || command.truncate_output)
            add(kSlurmOpenMode, command.append_output ? "a" : "t");
        for (const auto& [name, value] : option_variables(draft)) add(name, value);
        add(kSlurmJobDependency, draft.of_submission.as_given.dependency);
    }

    int submit(const std::vector<JobDraft>& drafts) {
        const JobDraft& draft = drafts.front();
        api::SubmitRequest request{
            .spec = draft.spec,
            .payload = {.script = script_,
                        .environment = exported_environment(call_, draft.export_env)}};
        for (std::size_t i = 1; i < drafts.size(); ++i)
            request.components.push_back(drafts[i].spec);
        // Submitted again with the same id, it stays one job.
        if (const std::string* const id = call_.variable("BERTH_REQUEST_ID"))
            request.spec.request_id = *id;
        request.payload.environment.push_back(std::string(kSlurmSubmitDir) + "=" + work_dir_of({}));
        request.payload.environment.push_back(std::string(kSlurmSubmitHost) + "=" +
                                              draft.spec.command->submit_host);
        add_settings_of_sruns(draft, request.payload.environment);
        if (!draft.of_script.get_user_env.empty()) {
            request.payload.environment.push_back(std::string(kSlurmGetUserEnv) + "=" +
                                                  draft.of_script.get_user_env);
        }
        if (!draft.of_script.export_file.empty()) {
            auto more = environment_file(draft.of_script.export_file);
            if (!more.ok()) return fail(more.error().message, 1);
            std::vector<std::string>& all = request.payload.environment;
            all.insert(all.end(), more.value().begin(), more.value().end());
        }
        Client client(endpoint_of(call_));
        std::string cluster;
        if (!draft.of_submission.clusters.empty()) {
            auto meant = cluster_meant(client, draft.of_submission.clusters, "sbatch");
            if (!meant.ok()) return fail(meant.error().message, 1);
            cluster = *std::move(meant);
        }
        if (draft.test_only) return report_test(call_, streams_, client, request, draft.quiet);
        const auto reply = client.submit(std::move(request));
        if (!reply) return refuse(reply.problem());
        print_notes(draft, *reply);
        if (draft.parsable) {
            streams_.out << to_string(reply->job) << (cluster.empty() ? "" : ";") << cluster
                         << '\n';
        } else if (!draft.quiet) {
            streams_.out << "Submitted batch job " << to_string(reply->job)
                         << (cluster.empty() ? "" : " on cluster ") << cluster << '\n';
        }
        streams_.out.flush();
        if (!draft.wait) return 0;
        const auto code = wait_for_end(client, reply->job);
        return code ? *code : fail(slurm_message(code.problem()), 1);
    }

    // What the site's job_submit.lua says, and what may go wrong.
    void print_notes(const JobDraft& draft, const api::SubmitReply& reply) {
        if (!draft.quiet) {
            for (const std::string& line : reply.messages)
                streams_.err << "sbatch: " << line << '\n';
        }
        for (const std::string& warning : reply.warnings)
            streams_.err << "sbatch: warning: " << warning << '\n';
        if (draft.quiet) return;
        for (const std::string& warning : file_warnings(draft.spec.command))
            streams_.err << "sbatch: warning: " << warning << '\n';
    }

    int refuse(const api::Problem& problem) {
        for (const std::string& line : problem.details)
            streams_.err << "sbatch: error: " << line << '\n';
        if (problem.code == "unknown_gres")
            return advised(fail(slurm_message(problem), 1), problem);  // Slurm's, without a prefix.
        if (problem.slurm.empty() || problem.code == "not_supported") {
            return fail("Batch job submission failed: " +
                            (problem.detail.empty() ? problem.title : problem.detail),
                        1);
        }
        return advised(fail("Batch job submission failed: " + problem.slurm, 1), problem);
    }

    int advised(int code, const api::Problem& problem) {
        streams_.err << advice_on(call_, problem);
        return code;
    }

    const Invocation& call_;
    Streams& streams_;
    std::vector<std::string> operands_;
    std::vector<Invocation> parts_;  // Of the command line: one for each component that it has.
    std::map<std::string, std::string> defined_;  // Options given, in the script too.
    std::string script_, script_name_;
};

}  // namespace

int run_sbatch(const Invocation& call, Streams& streams) { return Sbatch(call, streams).run(); }

}  // namespace berth::slurm
