// sacctmgr: shows and changes accounts, users, associations and QOS; writes and reads their file.
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <ostream>
#include <sstream>

#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/admin/admin_commands.h"
#include "berth/slurm/admin/association_file.h"
#include "berth/slurm/admin/sacctmgr_configuration.h"
#include "berth/slurm/admin/sacctmgr_coordinators.h"
#include "berth/slurm/admin/sacctmgr_edit.h"
#include "berth/slurm/admin/sacctmgr_events.h"
#include "berth/slurm/admin/sacctmgr_lists.h"
#include "berth/slurm/admin/sacctmgr_load.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/prompt.h"

namespace berth::slurm {
namespace {

constexpr const char* kSacctmgrUsage =
    "Usage: sacctmgr [-inpPQsV] COMMAND\n"
    "  show|list account|user|association|qos|cluster [where KEY=VALUE …] [format=…]\n"
    "  show|list tres|problem [format=…]\n"
    "  show|list event [start=TIME] [end=TIME] [nodes=LIST] [state=…] [cond_flags=open] "
    "[format=…]\n"
    "  show|list configuration|runawayjobs\n"
    "  add account|user|qos NAME [KEY=VALUE …]\n"
    "  modify account|user|qos [NAME] [where KEY=VALUE …] set KEY=VALUE …\n"
    "  delete account|user|qos NAME [KEY=VALUE …]\n"
    "  add|delete coordinator names=USERS accounts=ACCOUNTS\n"
    "  dump CLUSTER [file=FILE]\n"
    "  load [file=]FILE [clean] [cluster=CLUSTER]\n";

constexpr auto kSacctmgrOptions = std::to_array<option>({
    {"associations", no_argument, nullptr, 's'},
    {"help", no_argument, nullptr, 'h'},
    {"immediate", no_argument, nullptr, 'i'},
    {"json", optional_argument, nullptr, 'J'},
    {"noheader", no_argument, nullptr, 'n'},
    {"oneliner", no_argument, nullptr, 'o'},
    {"parsable", no_argument, nullptr, 'p'},
    {"parsable2", no_argument, nullptr, 'P'},
    {"quiet", no_argument, nullptr, 'Q'},
    {"readonly", no_argument, nullptr, 'r'},
    {"usage", no_argument, nullptr, 'h'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {"yaml", optional_argument, nullptr, 'Y'},
    {nullptr, 0, nullptr, 0},
});
constexpr const char* kSacctmgrLetters = "hinopPQrsvV";

std::optional<Entity> entity_of(const std::string& word) {
    if (means(word, "accounts", 2)) return Entity::account;
    if (means(word, "associations", 2)) return Entity::association;
    if (means(word, "users", 1)) return Entity::user;
    if (means(word, "qos", 1)) return Entity::qos;
    if (means(word, "clusters", 2)) return Entity::cluster;
    return std::nullopt;
}

// What Slurm shows and Berth does not, and where it is to be found instead.
struct ShownElsewhere {
    const char* entity;
    const char* where;
};
constexpr auto kShownElsewhere = std::to_array<ShownElsewhere>({
    {"federations", "there are none: a controller has one cluster"},
    {"instances", "scontrol show node has what is known of nodes in a cloud"},
    {"reservations", "scontrol show reservation has them as they are, sreport as they were"},
    {"resources", "scontrol show licenses has them"},
    {"stats", "sdiag has them"},
    {"transactions", "the lines \"audit:\" of berthd's log have them"},
    {"wckeys", "sacct -o wckey and sreport cluster WCKeyUtilizationByUser have them"},
});

class Sacctmgr {
public:
    Sacctmgr(const Invocation& call, Streams& streams)
        : call_(call), streams_(streams), client_(endpoint_of(call)) {}

    SacctmgrOptions options;
    bool readonly = false;

    // A word of the prompt that says how to go on.
    bool set_word(const std::string& word) {
        if (means(word, "parsable2", 9)) return options.parsable2 = true;
        if (means(word, "parsable", 2)) return options.parsable = true;
        if (means(word, "quiet", 4)) return options.quiet = true;
        if (means(word, "readonly", 4)) return readonly = true;
        if (means(word, "associations", 3)) return options.associations = true;
        return means(word, "verbose", 4);
    }

    int run(const std::vector<std::string>& words) {
        const std::string& verb = words.front();
        const bool changes = means(verb, "add", 3) || means(verb, "create", 1) ||
                             means(verb, "modify", 1) || means(verb, "delete", 3) ||
                             means(verb, "remove", 3) || means(verb, "load", 2);
        if (readonly && changes)
            return streams_.err << "Can't run this command in readonly mode.\n", 1;
        const bool shows = means(verb, "show", 1) || means(verb, "list", 1);
        if (options.notation && !shows)
            return streams_.err << "sacctmgr: error: --json and --yaml are for show\n", 1;
        if (shows) return show(words);
        const bool removes = means(verb, "delete", 3) || means(verb, "remove", 3);
        const bool adds = means(verb, "add", 3) || means(verb, "create", 1);
        if ((adds || removes) && words.size() > 1 && means(words[1], "coordinators", 2))
            return edit_coordinators(words, adds);
        if (adds) {
            return edit(words, parse_add, "add",
                        "Input line must include \"Account\", \"QOS\", or \"User\"");
        }
        if (means(verb, "modify", 1)) {
            return edit(words, parse_modify, "modify",
                        "Input line must include \"Account\", \"QOS\", or \"User\"");
        }
        if (removes) {
            return edit(words, parse_delete, "delete",
                        "Input line must include \"Account\", \"QOS\", or \"User\"");
        }
        if (means(verb, "dump", 3)) return dump(words);
        if (means(verb, "load", 2)) return load(words);
        if (means(verb, "ping", 2)) return ping();
        if (means(verb, "version", 2)) return streams_.out << kVersion << '\n', 0;
        for (const char* known : {"archive", "clear", "reconfigure", "shutdown"}) {
            if (iequals(verb, known))
                return streams_.err << "sacctmgr: error: " << known << " is not supported yet\n", 1;
        }
        streams_.err << "invalid keyword: " << verb << '\n';
        return 1;
    }

private:
    int failed(const api::Problem& problem) {
        streams_.err << "sacctmgr: error: " << slurm_message(problem) << '\n';
        return 1;
    }

    std::optional<AccountingView> accounting(int& code) {
        auto associations = client_.accounts().associations();
        auto qos = client_.accounts().qos();
        auto ping = client_.ping();
        if (!associations || !qos || !ping) {
            code = failed(!associations ? associations.problem()
                          : !qos        ? qos.problem()
                                        : ping.problem());
            return std::nullopt;
        }
        return AccountingView{ping->cluster, ping->host, *std::move(associations), *std::move(qos)};
    }

    int ping() {
        const auto answer = client_.ping();
        if (!answer) return failed(answer.problem());
        streams_.out << "slurmdbd(primary) at " << answer->host << " is UP\n";
        return 0;
    }

    int show(const std::vector<std::string>& words) {
        const auto entity = words.size() > 1 ? entity_of(words[1]) : std::nullopt;
        if (!entity && words.size() > 1) {
            if (const auto code = show_other(words)) return *code;
        }
        if (!entity) {
            streams_.err << "No valid entity in list command\nInput line must include "
                            "\"Account\", \"Association\", \"Cluster\", \"QOS\", or \"User\"\n";
            return 1;
        }
        Selection selection;
        for (std::size_t i = 2; i < words.size(); ++i) {
            if (!select(selection, words[i], *entity))
                return streams_.err << " Unknown condition: " << words[i] << '\n', 1;
        }
        int code = 0;
        const auto view = accounting(code);
        if (!view) return code;
        if (!options.notation) return show_accounting(*view, *entity, selection, options, streams_);
        show_accounting_json(call_, *view, *entity, selection, options, streams_);
        return 0;
    }

    // What is no entity that can be edited; nullopt: there is no such thing.
    std::optional<int> show_other(const std::vector<std::string>& words) {
        const std::string& what = words[1];
        if (means(what, "tres", 2) || means(what, "problems", 1)) return show_list(words);
        const bool has_no_notation = means(what, "events", 1) || means(what, "configuration", 2) ||
                                     means(what, "runawayjobs", 3);
        if (has_no_notation && options.notation) {
            streams_.err << "sacctmgr: error: --json and --yaml are not supported for show " << what
                         << '\n';
            return 1;
        }
        if (means(what, "events", 1))
            return show_events(client_, {words.begin() + 2, words.end()}, options, streams_);
        if (means(what, "configuration", 2)) return show_configuration(client_, streams_);
        if (means(what, "runawayjobs", 3)) return show_runaway_jobs(client_, streams_);
        for (const ShownElsewhere& one : kShownElsewhere) {
            if (!means(what, one.entity, 3)) continue;
            streams_.err << "sacctmgr: error: show " << one.entity
                         << " is not supported: " << one.where << '\n';
            return 1;
        }
        return std::nullopt;
    }

    // What has but a format to choose.
    int show_list(const std::vector<std::string>& words) {
        std::string format;
        for (std::size_t i = 2; i < words.size(); ++i) {
            const auto [key, value] = key_and_value(words[i]);
            if (!means(key, "format", 1))
                return streams_.err << " Unknown condition: " << words[i] << '\n', 1;
            format = value;
        }
        if (options.notation) {
            streams_.err << "sacctmgr: error: --json and --yaml are not supported for show "
                         << words[1] << '\n';
            return 1;
        }
        if (means(words[1], "tres", 2)) {
            const auto shares = client_.accounts().shares();
            if (!shares) return failed(shares.problem());
            std::vector<std::string> names;
            if (!shares->empty()) {
                for (const auto& [name, minutes] : shares->front().tres_minutes)
                    names.push_back(name);
            }
            return show_tres(names, format, options, streams_);
        }
        int code = 0;
        const auto view = accounting(code);
        return view ? show_problems(*view, format, options, streams_) : code;
    }

    static bool select(Selection& selection, const std::string& word, Entity entity) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) {
            if (iequals(word, "where")) return true;
            if (means(word, "withassoc", 5)) return selection.with_associations = true;
            if (means(word, "withcoordinator", 5)) return selection.with_coordinators = true;
            if (iequals(word, "tree")) return selection.tree = true;
            if (word.find_first_of(" =") != std::string::npos) return false;
            for (std::string& one : names_listed(word)) selection.names.push_back(std::move(one));
            return entity != Entity::association && entity != Entity::cluster;
        }
        const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
        if (means(key, "format", 1)) {
            selection.format = value;
        } else if (means(key, "names", 1)) {
            selection.names = names_listed(value);
        } else if (means(key, "accounts", 3)) {
            selection.accounts = names_listed(value);
        } else if (means(key, "users", 1)) {
            selection.users = names_listed(value);
        } else {
            return means(key, "clusters", 3);  // There is one.
        }
        return true;
    }

    using Parse = Result<Intent> (*)(const AccountingView&, Entity,
                                     const std::vector<std::string>&);

    int edit(const std::vector<std::string>& words, Parse parse, const char* verb,
             const char* entities) {
        const auto entity = words.size() > 1 ? entity_of(words[1]) : std::nullopt;
        if (!entity) {
            streams_.err << "No valid entity in " << verb << " command\n" << entities << '\n';
            return 1;
        }
        int code = 0;
        const auto view = accounting(code);
        if (!view) return code;
        return carry_out(parse(*view, *entity, {words.begin() + 2, words.end()}));
    }

    int edit_coordinators(const std::vector<std::string>& words, bool adds) {
        int code = 0;
        const auto view = accounting(code);
        if (!view) return code;
        return carry_out(adds ? parse_add_coordinators(*view, {words.begin() + 2, words.end()})
                              : parse_delete_coordinators(*view, {words.begin() + 2, words.end()}));
    }

    int carry_out(const Result<Intent>& intent) {
        if (!intent.ok()) {
            // As Slurm: that there is nothing to do is an answer, not a complaint.
            const bool is_answer = intent.error().message.starts_with(" Nothing ");
            (is_answer ? streams_.out : streams_.err) << intent.error().message << '\n';
            return 1;
        }
        if (!options.immediate) {
            streams_.out << intent->text;
            if (!confirmed()) return streams_.out << " Changes Discarded\n", 0;
        }
        const auto done = client_.accounts().edit(intent->edits);
        if (!done) {
            streams_.err << intent->problem << slurm_message(done.problem()) << '\n';
            if (!done.problem().slurm.empty() && !done.problem().detail.empty())
                streams_.err << "sacctmgr: " << done.problem().detail << '\n';
            return 1;
        }
        if (options.immediate && !options.quiet) streams_.out << intent->text;
        return 0;
    }

    int dump(const std::vector<std::string>& words) {
        std::string cluster, name;
        for (std::size_t i = 1; i < words.size(); ++i) {
            const auto [key, value] = key_and_value(words[i]);
            if (means(key, "file", 1)) {
                name = value;
            } else if (!key.empty() && !means(key, "cluster", 1) && !means(key, "name", 1)) {
                return streams_.err << " Unknown option: " << words[i] << '\n', 1;
            } else if (!cluster.empty()) {
                return streams_.err << " Can only do one cluster at a time.  Already doing "
                                    << cluster << '\n',
                       1;
            } else {
                cluster = value;
            }
        }
        if (cluster.empty()) return streams_.err << " We need a cluster to dump.\n", 1;
        int code = 0;
        const auto view = accounting(code);
        if (!view) return code;
        if (!iequals(cluster, view->cluster)) {
            streams_.err << " Cluster " << cluster << " doesn't exist.\n";
            return 1;
        }
        if (name.empty()) {
            name = "./" + view->cluster + ".cfg";
            if (!options.quiet) streams_.out << " No filename given, using " << name << ".\n";
        }
        std::ofstream file(name, std::ios::binary);
        file << association_file(*view) << std::flush;
        if (file) return 0;
        streams_.err << "Can't write file " << name << ", " << errno_text() << '\n';
        return 1;
    }

    int load(const std::vector<std::string>& words) {
        std::string name;
        LoadOptions how;
        for (std::size_t i = 1; i < words.size(); ++i) {
            const auto [key, value] = key_and_value(words[i]);
            if (means(words[i], "clean", 3)) {
                how.clean = true;
            } else if (means(key, "cluster", 1)) {
                how.cluster = value;
            } else if (!key.empty() && !means(key, "file", 1)) {
                return streams_.err << " Unknown option: " << words[i] << '\n', 1;
            } else if (!name.empty()) {
                return streams_.err << " File name already set to " << name << '\n', 1;
            } else {
                name = value;
            }
        }
        if (name.empty())
            return streams_.err << " No filename given, specify one with file=''\n", 1;
        std::ifstream file(name, std::ios::binary);
        std::ostringstream text;
        if (!file) {
            streams_.err << " Unable to read \"" << name << "\": " << errno_text() << '\n';
            return 1;
        }
        if (!(text << file.rdbuf())) {
            streams_.err << " Unable to read \"" << name << "\": it is empty, or not a file\n";
            return 1;
        }
        return load_text(text.str(), how);
    }

    int load_text(const std::string& text, const LoadOptions& how) {
        int code = 0;
        const auto view = accounting(code);
        if (!view) return code;
        const Result<LoadPlan> plan = plan_load(*view, text, how);
        if (!plan.ok()) return streams_.err << plan.error().message << '\n', 1;
        if (!options.quiet) {
            streams_.out << "For cluster " << view->cluster << '\n';
            show_new(*plan);
        }
        if (plan->edits.empty()) return streams_.out << " Nothing new added.\n", 0;
        if (!options.immediate && !confirmed()) return streams_.out << " Changes Discarded\n", 0;
        for (std::size_t i = 0; i < plan->edits.size(); ++i) {
            const auto done = client_.accounts().edit(plan->edits[i]);
            if (done) continue;
            streams_.err << " Problem with requests: " << slurm_message(done.problem()) << '\n';
            if (!done.problem().slurm.empty() && !done.problem().detail.empty())
                streams_.err << "sacctmgr: " << done.problem().detail << '\n';
            if (i > 0)
                streams_.err << " A part of the file is loaded; load it again to add the rest\n";
            return 1;
        }
        return 0;
    }

    void show_new(const LoadPlan& plan) {
        const auto table = [&](const char* title, const AccountingView& view, Entity entity,
                               const char* format) {
            Selection selection;
            selection.format = format;
            streams_.out << title << '\n';
            show_accounting(view, entity, selection, SacctmgrOptions{}, streams_);
            streams_.out << "--------------------------------------------------------------\n\n";
        };
        constexpr const char* kLimits =
            "Share,GrpTRES,GrpJobs,GrpSubmit,MaxTRESMins,MaxTRES,MaxTRESPerNode,MaxJobs,MaxSubmit,"
            "MaxWall,QOS,DefaultQOS";
        if (!plan.accounts.associations.empty()) {
            table("Accounts", plan.accounts, Entity::account, "Account,Description,Organization");
            table("Account Associations", plan.accounts, Entity::association,
                  (std::string("Account,ParentName,") + kLimits).c_str());
        }
        if (!plan.users.associations.empty()) {
            table("User Associations", plan.users, Entity::association,
                  (std::string("User,Account,") + kLimits).c_str());
        }
        streams_.out << plan.changes;
    }

    static const char* errno_text() { return std::strerror(errno); }

    bool confirmed() {
        streams_.out << "Would you like to commit changes? (You have 30 seconds to decide)\n(N/y): "
                     << std::flush;
        std::string answer;
        std::getline(streams_.in, answer);
        streams_.out << '\n';
        return !answer.empty() && (answer[0] == 'y' || answer[0] == 'Y');
    }

    const Invocation& call_;
    Streams& streams_;
    Client client_;
};

}  // namespace

int run_sacctmgr(const Invocation& call, Streams& streams) {
    Sacctmgr sacctmgr(call, streams);
    ArgumentReader reader(call, kSacctmgrOptions, kSacctmgrLetters);
    while (const auto argument = reader.next(streams)) {
        switch (argument->letter) {
            case 'V': return streams.out << kVersion << '\n', 0;
            case 'h':
                return streams.out << kSacctmgrUsage
                                   << command_help(call, kSacctmgrOptions, kSacctmgrLetters),
                       0;
            case 'i': sacctmgr.options.immediate = true; break;
            case 'n': sacctmgr.options.no_header = true; break;
            case 'p': sacctmgr.options.parsable = true; break;
            case 'P': sacctmgr.options.parsable2 = true; break;
            case 'Q': sacctmgr.options.quiet = true; break;
            case 'r': sacctmgr.readonly = true; break;
            case 's': sacctmgr.options.associations = true; break;
            case 'v': break;
            case 'J':
            case 'Y':
                sacctmgr.options.notation =
                    argument->letter == 'J' ? Notation::json : Notation::yaml;
                if (const Status shape = check_shape(argument->value); !shape.ok())
                    return streams.err << "sacctmgr: error: " << shape.error().message << '\n', 1;
                break;
            default:
                streams.err << "sacctmgr: error: "
                            << not_supported(kSacctmgrOptions, argument->letter).error().message
                            << '\n';
                return 1;
        }
    }
    if (reader.failed()) return 1;
    const std::vector<std::string> words = reader.operands();
    if (!words.empty()) return sacctmgr.run(words);
    return run_prompt("sacctmgr", streams, [&](const std::vector<std::string>& line) {
        if (means(line.front(), "help", 1)) return streams.out << kSacctmgrUsage, 0;
        return sacctmgr.set_word(line.front()) ? 0 : sacctmgr.run(line);
    });
}

}  // namespace berth::slurm
