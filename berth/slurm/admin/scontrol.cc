// scontrol: shows and changes jobs and nodes.
#include <algorithm>
#include <array>
#include <ostream>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/admin/admin_commands.h"
#include "berth/slurm/admin/scontrol_advice.h"
#include "berth/slurm/admin/scontrol_change.h"
#include "berth/slurm/admin/scontrol_job.h"
#include "berth/slurm/admin/scontrol_json.h"
#include "berth/slurm/admin/scontrol_node.h"
#include "berth/slurm/admin/scontrol_partition.h"
#include "berth/slurm/admin/scontrol_pids.h"
#include "berth/slurm/admin/scontrol_ping.h"
#include "berth/slurm/admin/scontrol_requeue.h"
#include "berth/slurm/admin/scontrol_reservation.h"
#include "berth/slurm/admin/scontrol_token.h"
#include "berth/slurm/admin/scontrol_update.h"
#include "berth/slurm/options/advice.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/clusters.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/show/scontrol_show.h"
#include "berth/slurm/step/last_answer.h"
#include "berth/slurm/tables/known_nodes.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/print.h"
#include "berth/slurm/text/prompt.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {
namespace {

constexpr const char* kScontrolUsage =
    "Usage: scontrol [-adoV] COMMAND\n"
    "  show job|step|node|partition|reservation|license|topology|assoc_mgr|config [ID]    show "
    "hostnames|hostlist|hostlistsorted "
    "LIST\n"
    "  update JobId=… KEY=VALUE …                  update NodeName=… State=… [Reason=…]\n"
    "  update StepId=JOB.STEP TimeLimit=…\n"
    "  create reservation KEY=VALUE …              update|delete ReservationName=…\n"
    "  create PartitionName=… KEY=VALUE …          update|delete PartitionName=…\n"
    "  create NodeName=… State=CLOUD|FUTURE …      delete NodeName=…\n"
    "  hold|uhold|release|requeue|requeuehold|suspend|resume|top JOBS  notify JOB TEXT\n"
    "  ping  version\n"
    "  wait_job JOB   write batch_script JOB [FILE|-]   completing   -M CLUSTER   --json   --yaml\n"
    "  listpids [JOB[.STEP]] [NODE]   pidinfo PID    of processes on this node\n"
    "  token [lifespan=SECONDS] [username=USER]\n"
    "  reboot [ASAP] [nextstate=RESUME|DOWN] [reason=…] NODES|ALL   cancel_reboot NODES\n";

constexpr auto kScontrolOptions = std::to_array<option>({
    {"all", no_argument, nullptr, 'a'},
    {"details", no_argument, nullptr, 'd'},
    {"oneliner", no_argument, nullptr, 'o'},
    {"quiet", no_argument, nullptr, 'Q'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {"help", no_argument, nullptr, 'h'},
    {"usage", no_argument, nullptr, 'h'},
    {"clusters", required_argument, nullptr, 'M'},
    {"future", no_argument, nullptr, 'F'},
    {"hide", no_argument, nullptr, 'H'},
    {"json", optional_argument, nullptr, 'J'},
    {"yaml", optional_argument, nullptr, 'Y'},
    {"uid", required_argument, nullptr, 'u'},
    {"federation", no_argument, nullptr, 1},
    {"local", no_argument, nullptr, 2},
    {"sibling", no_argument, nullptr, 3},
    {nullptr, 0, nullptr, 0},
});
constexpr const char* kScontrolLetters = "adFhM:oQu:vV";

// What `show` refuses, and what to use instead.
constexpr auto kNotShown = std::to_array<std::pair<const char*, const char*>>({
    {"aliases", "scontrol show nodes has each NodeHostName"},
    {"daemons", "use systemctl list-units 'berth*'"},
    {"frontend", "Berth has no front end nodes"},
    {"slurmd", "use berth doctor"},
    {"topoconf", "use scontrol show topology"},
});

std::string joined(const std::vector<std::string>& words, std::size_t from) {
    std::string text;
    for (std::size_t i = from; i < words.size(); ++i) text += (text.empty() ? "" : ",") + words[i];
    return text;
}

// Words of the prompt that say how to go on.
constexpr std::pair<const char*, int> kPromptOptions[] = {{"all", 'a'},     {"hide", 'H'},
                                                          {"details", 'd'}, {"oneliner", 'o'},
                                                          {"quiet", 'Q'},   {"verbose", 'v'}};

class Scontrol {
public:
    Scontrol(const Invocation& call, Streams& streams)
        : streams_(streams), client_(endpoint_of(call)), call_(call) {
        options.advises = wants_advice(call);
    }

    ShowOptions options;
    std::optional<Notation> notation;

    // An option; an exit code where it cannot be.
    std::optional<int> take(int letter, const char* value) {
        switch (letter) {
            case 'a': options.all = true; return std::nullopt;
            case 'H': options.all = false; return std::nullopt;
            case 'd': options.detail = true; return std::nullopt;
            case 'o': options.one_line = true; return std::nullopt;
            case 'M': return choose_cluster(value);
            case 'J': return print_in(Notation::json, value);
            case 'Y': return print_in(Notation::yaml, value);
            case 'Q': streams_.err.setstate(std::ios::failbit); return std::nullopt;  // No errors.
            case 1:
            case 2:
            case 3: return std::nullopt;                          // There is one cluster.
            case 'v': streams_.err.clear(); return std::nullopt;  // No more to say than errors.
            default: return fail(not_supported(kScontrolOptions, letter).error().message);
        }
    }

    std::optional<int> print_in(Notation chosen, const char* shape) {
        notation = chosen;
        const Status known = check_shape(shape);
        return known.ok() ? std::nullopt : std::optional(fail(known.error().message));
    }

    // -M: an exit code where it names another cluster.
    std::optional<int> choose_cluster(const std::string& names) {
        const auto meant = cluster_meant(client_, names, "scontrol");
        return meant.ok() ? std::nullopt : std::optional(fail(meant.error().message));
    }

    int run(const std::vector<std::string>& words) {
        const std::string& verb = words.front();
        if (means(verb, "show", 2)) return show(words);
        if (means(verb, "ping", 3)) return ping_controller(client_, call_, notation, streams_);
        if (means(verb, "hold", 3) || iequals(verb, "uhold")) return each_job(words, Action::hold);
        if (means(verb, "release", 3)) return each_job(words, Action::release);
        if (iequals(verb, "requeuehold") || means(verb, "requeue", 3)) return requeue(words);
        if (means(verb, "suspend", 2)) return each_job(words, Action::suspend);
        if (means(verb, "resume", 3)) return each_job(words, Action::resume);
        if (means(verb, "top", 3)) return put_on_top(client_, words, streams_);
        if (means(verb, "notify", 1)) return notify_job(client_, words, streams_);
        if (means(verb, "reconfigure", 3)) return reconfigure();
        if (means(verb, "update", 1)) return update(words);
        if (means(verb, "version", 4)) return streams_.out << kVersion << '\n', 0;
        if (means(verb, "create", 1)) return create(words);
        if (means(verb, "delete", 1)) return remove(words);
        if (means(verb, "wait_job", 2)) return wait_for_job(client_, words, streams_);
        if (means(verb, "write", 2)) return write_script(client_, words, streams_);
        if (means(verb, "completing", 3)) return show_completing(client_, streams_);
        if (means(verb, "token", 3)) return print_token(client_, words, streams_);
        if (means(verb, "reboot", 3)) return reboot_nodes(client_, words, streams_);
        if (means(verb, "listpids", 1)) return list_pids(words, streams_);
        if (means(verb, "pidinfo", 3)) return print_pid_info(client_, words, streams_);
        if (means(verb, "cancel_reboot", 3)) return cancel_reboot(client_, words, streams_);
        if (const std::string_view instead = instead_of_verb(verb); !instead.empty())
            return fail("scontrol " + verb + " is not supported: " + std::string(instead));
        streams_.err << "invalid keyword: " << verb << '\n' << advice_on_command(call_, verb);
        return 1;
    }

private:
    enum class Action : unsigned char { hold, release, requeue, suspend, resume };

    int fail(const std::string& message) {
        streams_.err << "scontrol: error: " << message << '\n';
        return 1;
    }

    int show(const std::vector<std::string>& words) {
        if (words.size() < 2) return streams_.err << "too few arguments for keyword:show\n", 1;
        std::string what = words[1], id = words.size() > 2 ? words[2] : "";
        if (const std::size_t equals = what.find('='); equals != std::string::npos) {
            id = what.substr(equals + 1);  // "job=12"
            what.resize(equals);
        }
        options.now = wall_time();
        if (means(what, "jobid", 4)) what = "jobs";
        if (means(what, "partitionname", 10)) what = "partitions";
        if (means(what, "reservationname", 12)) what = "reservations";
        if (notation)
            return show_as_json({client_, call_, *notation, options.now, streams_}, what, id);
        if (means(what, "jobs", 1)) return show_jobs(client_, options, id, streams_);
        if (means(what, "steps", 2)) return show_steps(client_, options, id, streams_);
        if (means(what, "nodes", 1)) return show_nodes(client_, options, id, streams_);
        if (means(what, "partitions", 1)) return show_partitions(client_, options, id, streams_);
        if (means(what, "config", 1)) return show_config(client_, options, streams_);
        if (means(what, "hostnames", 5)) return show_hostnames(words);
        if (iequals(what, "hostlistsorted"))
            return streams_.out << compress_hostlist(words_of(words)) << '\n', 0;
        if (iequals(what, "hostlist"))
            return streams_.out << compress_hostlist_in_order(words_of(words)) << '\n', 0;
        if (means(what, "reservations", 3))
            return show_reservations(client_, options, id, streams_);
        if (means(what, "licenses", 2)) return show_licenses(client_, options, id, streams_);
        if (means(what, "topology", 1)) return show_topology(client_, id, streams_);
        if (means(what, "assoc_mgr", 2)) return show_assoc_mgr(client_, words, streams_);
        for (const char* none : {"federation", "bbstat", "burstbuffer", "dwstat"}) {
            if (means(what, none, 3)) return 0;  // As where there is none.
        }
        for (const auto& [known, instead] : kNotShown) {
            if (means(what, known, 3)) {
                return fail("scontrol show " + std::string(known) +
                            " is not supported: " + instead);
            }
        }
        streams_.err << "invalid entity:" << words[1] << " for keyword:show \n"
                     << advice_on_entity(call_, what);
        return 1;
    }

    static std::vector<std::string> words_of(const std::vector<std::string>& words) {
        std::vector<std::string> names;
        const std::string list = joined(words, 2);
        for (const auto name : split(list, ',')) names.emplace_back(trim(name));
        return names;
    }

    int show_hostnames(const std::vector<std::string>& words) {
        std::string list = joined(words, 2);
        if (list.empty()) {
            list = call_.variable(kSlurmJobNodelist) == nullptr
                       ? ""
                       : *call_.variable(kSlurmJobNodelist);
        }
        const auto names = expand_hostlist(list);
        if (!names.ok() || names.value().empty())
            return streams_.err << "Invalid hostlist: " << list << '\n', 1;
        for (const std::string& name : names.value()) streams_.out << name << '\n';
        return 0;
    }

    int reconfigure() {
        const auto done = client_.reconfigure();
        if (!done) streams_.err << "slurm_reconfigure error: " << done.problem().detail << '\n';
        return done ? 0 : 1;
    }

    ChangeResult act(Action action, const std::string& ref) {
        switch (action) {
            case Action::hold: return client_.hold(ref);
            case Action::release: return client_.release(ref);
            case Action::requeue: return without_words(client_.requeue(ref, requeue_));
            case Action::suspend: return without_words(client_.suspend(ref));
            case Action::resume: return without_words(client_.suspend(ref, true));
        }
        return api::Problem{};
    }

    // Slurm's words, after what the site's job_submit.lua says, if it is what refuses.
    const std::string& site_refusal(const api::Problem& problem) {
        if (problem.code != "refused_by_site") return slurm_message(problem);
        for (const std::string& line : problem.details)
            streams_.err << "scontrol: error: " << line << '\n';
        return slurm_message(problem);
    }

    // What the site's job_submit.lua says of a change that was made.
    bool pass_on(const api::ChangeReply& reply) {
        for (const std::string& line : reply.messages) streams_.err << "scontrol: " << line << '\n';
        return true;
    }

    int requeue(const std::vector<std::string>& words) {
        const RequeueCall call = parse_requeue(words);
        requeue_ = call.request;
        return each_job(call.words, Action::requeue);
    }

    // "12,13", "12 13", "name=…" is refused.
    int each_job(const std::vector<std::string>& words, Action action) {
        if (words.size() < 2)
            return streams_.err << "too few arguments for keyword:" << words.front() << '\n', 1;
        int code = 0;
        const LastAnswer answer;  // The job may be the one that runs this.
        const std::string list = joined(words, 1);
        for (const auto part : split(list, ',')) {
            std::string ref(trim(part));
            if (starts_with_icase(ref, "jobid=")) ref = ref.substr(6);
            const auto done = act(action, ref);
            if (done && pass_on(*done)) continue;
            const std::string why = site_refusal(done.problem());
            streams_.err << why << " for job " << ref << '\n';
            if (action == Action::hold || action == Action::release)
                streams_.err << "slurm_suspend error: " << why << '\n';
            code = 1;
        }
        return code;
    }

    // What it reads and what it does, with the words of Slurm for when it cannot.
    template <class Act>
    int with_partition(const std::vector<std::string>& words, const char* before, Act act) {
        const auto call = parse_partition({words.begin() + 1, words.end()});
        if (!call.ok()) {
            streams_.err << "scontrol: error: " << call.error().message << '\n'
                         << before << "No error\n";
            return 1;
        }
        const auto done = act(*call);
        return done ? 0 : objection(before, done.problem());
    }

    int create_partition(const std::vector<std::string>& words) {
        return with_partition(words, "Error creating the partition: ", [&](const auto& call) {
            return client_.create_partition(call);
        });
    }

    int update_partition(const std::vector<std::string>& words) {
        if (words.size() == 2) return fail("No changes specified");
        return with_partition(words, "slurm_update error: ", [&](const auto& call) {
            return client_.update_partition(call.name, call.change);
        });
    }

    // "create reservation …", "create …" with ReservationName= or without.
    int create(const std::vector<std::string>& words) {
        const std::size_t from = words.size() > 1 && means(words[1], "reservation", 3) ? 2 : 1;
        if (words.size() < 2) return streams_.err << "too few arguments for create keyword\n", 1;
        const bool of_reservation = from == 2 || !reservation_named(words).empty();
        if (!of_reservation && !partition_named(words).empty()) return create_partition(words);
        if (!of_reservation && !node_named(words).empty())
            return create_nodes(client_, words, streams_);
        if (!of_reservation) {
            return fail("Invalid creation entity: " + words[1] +
                        "; give PartitionName=, NodeName= or reservation");
        }
        const auto call = parse_reservation(
            {words.begin() + static_cast<std::ptrdiff_t>(from), words.end()}, wall_time());
        if (!call.ok()) return fail(call.error().message + ".  No reservation created.");
        if (const Status complete = check_new_reservation(call->change); !complete.ok())
            return fail(complete.error().message);
        const auto made = client_.create_reservation(*call);
        if (made) return streams_.out << "Reservation created: " << made->name << '\n', 0;
        return objection("Error creating the reservation: ", made.problem());
    }

    int remove(const std::vector<std::string>& words) {
        if (words.size() < 2) return streams_.err << "too few arguments for delete keyword\n", 1;
        if (const std::string partition = partition_named(words); !partition.empty()) {
            const auto done = client_.delete_partition(partition);
            return done ? 0 : objection("delete_partition " + words[1] + ": ", done.problem());
        }
        const std::string name = reservation_named(words);
        if (name.empty() && !node_named(words).empty())
            return delete_nodes(client_, words, streams_);
        if (name.empty()) {
            return streams_.err << "Invalid deletion entity: " << words[1]
                                << "; give ReservationName=, PartitionName= or NodeName=\n",
                   1;
        }
        const auto done = client_.delete_reservation(name);
        if (done) return 0;
        return objection("delete_reservation " + words[1] + ": ", done.problem());
    }

    int update_reservation(const std::vector<std::string>& words) {
        const auto call = parse_reservation({words.begin() + 1, words.end()}, wall_time());
        if (!call.ok()) return fail(call.error().message + ".  No reservation update.");
        const auto done = client_.update_reservation(call->name, call->change);
        if (done) return streams_.out << "Reservation updated.\n", 0;
        return objection("Error updating the reservation: ", done.problem());
    }

    // Slurm's words, and in brackets what exactly was wrong.
    int objection(const std::string& before, const api::Problem& problem) {
        streams_.err << before << slurm_message(problem) << '\n';
        if (!problem.slurm.empty() && !problem.detail.empty())
            streams_.err << "scontrol: " << problem.detail << '\n';
        return 1;
    }

    int update(const std::vector<std::string>& given) {
        if (given.size() < 2) return streams_.err << "too few arguments for update keyword\n", 1;
        const std::vector<std::string> words = with_job_named(given);
        const Updated updated = what_is_updated({words.begin() + 1, words.end()});
        if (updated == Updated::reservation) return update_reservation(words);
        if (updated == Updated::partition) return update_partition(words);
        const auto change = parse_update({words.begin() + 1, words.end()},
                                         options.now == Time{} ? wall_time() : options.now);
        if (!change.ok()) {
            streams_.err << change.error().message << "\nRequest aborted\n"
                         << advice_on_update(call_, {words.begin() + 1, words.end()});
            return 1;
        }
        std::vector<std::string> names = change->names;
        if (change->by_name) {
            auto meant = jobs_named(client_, *change->by_name);
            if (!meant) return fail(meant.problem().detail);
            names = *std::move(meant);
        }
        int code = 0;
        for (const std::string& name : names) {
            const auto done = send_update(client_, change.value(), name);
            if (done && pass_on(*done)) continue;
            const std::string why = site_refusal(done.problem());
            if (change.value().node || change.value().step) {
                streams_.err << "slurm_update error: " << why << '\n';
                if (done.problem().code == "unknown_node")
                    streams_.err << advice_on_unknown_node(client_, call_, name);
            } else {
                streams_.err << why << " for job " << name << '\n';
            }
            code = 1;
        }
        return code;
    }

    Streams& streams_;
    Client client_;
    const Invocation& call_;
    api::RequeueRequest requeue_;
};

}  // namespace

int run_scontrol(const Invocation& call, Streams& streams) {
    Scontrol scontrol(call, streams);
    ArgumentReader reader(call, kScontrolOptions,
                          kScontrolLetters);  // Options may also stand behind the entity.
    for (const SetVariable& set : set_variables(call, kScontrolOptions)) {
        if (const auto code = scontrol.take(set.letter, set.value)) return *code;
    }
    while (const auto argument = reader.next(streams)) {
        if (argument->letter == 'V') return streams.out << kVersion << '\n', 0;
        if (argument->letter == 'h') {
            return streams.out << kScontrolUsage
                               << command_help(call, kScontrolOptions, kScontrolLetters),
                   0;
        }
        if (const auto code = scontrol.take(argument->letter, argument->value)) return *code;
    }
    if (reader.failed()) return streams.err << "Try \"scontrol --help\" for more information\n", 1;
    const std::vector<std::string> words = reader.operands();
    if (!words.empty()) return scontrol.run(words);
    return run_prompt("scontrol", streams, [&](const std::vector<std::string>& line) {
        if (means(line.front(), "help", 2)) return streams.out << kScontrolUsage, 0;
        for (const auto& [word, letter] : kPromptOptions) {
            if (iequals(line.front(), word)) return scontrol.take(letter, nullptr).value_or(0);
        }
        return scontrol.run(line);
    });
}

}  // namespace berth::slurm
