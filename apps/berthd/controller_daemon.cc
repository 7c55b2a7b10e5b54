#include "apps/berthd/controller_daemon.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "apps/berthd/archive_file.h"
#include "apps/berthd/config_reader.h"
#include "apps/berthd/daemon_inbox.h"
#include "apps/berthd/fence_runner.h"
#include "apps/berthd/hook_runner.h"
#include "apps/berthd/notice_sender.h"
#include "apps/berthd/own_node.h"
#include "apps/daemon/wall_clock.h"
#include "berth/control/commands/commands.h"
#include "berth/control/core/loop.h"
#include "berth/credential/credential.h"
#include "berth/server/auth/registrar.h"
#include "berth/server/http/http_server.h"
#include "berth/server/http/metrics_listener.h"
#include "berth/store/store.h"
#include "berth/trust/key_file.h"
#include "berth/wire/agent_server.h"

namespace berth {

namespace {

// Both listeners start after the first turn, so that no client sees an empty cluster. During that
// turn there is nobody to send to.
class OnceStarted final : public Agents, public Clients {
public:
    void send(OutgoingOrder order) override {
        BERTH_ASSERT(agents != nullptr);
        agents->send(std::move(order));
    }
    void close(Link link) override {
        BERTH_ASSERT(agents != nullptr);
        agents->close(link);
    }
    void answer(OutgoingAnswer answer) override {
        BERTH_ASSERT(clients != nullptr);
        clients->answer(std::move(answer));
    }

    Agents* agents = nullptr;
    Clients* clients = nullptr;
};

class ToInbox final : public CommandSink {
public:
    ToInbox(DaemonInbox& inbox, ConfigReader& config) : inbox_(inbox), config_(config) {}
    bool put(ClientInput input) override {
        if (auto* const command = std::get_if<Reconfigure>(&input.command)) {
            // Without permission, the controller refuses the request, and nothing is read.
            if (!forbidden(input.principal, Verb::reconfigure)) {
                return config_.put(std::move(input));
            }
            command->problem = "not read";
        }
        return inbox_.try_push(std::move(input));
    }

private:
    DaemonInbox& inbox_;
    ConfigReader& config_;
};

// Several observers, each called for everything.
class Observers final : public Observer {
public:
    explicit Observers(std::vector<Observer*> all) : all_(std::move(all)) {}
    void part_begins(TurnPart part) override {
        for (Observer* one : all_) one->part_begins(part);
    }
    void cycle_begins() override {
        for (Observer* one : all_) one->cycle_begins();
    }
    void cycle_ended(const CycleWork& work) override {
        for (Observer* one : all_) one->cycle_ended(work);
    }
    void recorded(const Record& record, const ClusterState& after) override {
        for (Observer* one : all_) one->recorded(record, after);
    }

private:
    std::vector<Observer*> all_;
};

std::string host_name() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

}  // namespace

struct ControllerDaemon::Parts {
    Parts(Opened opened, StoreReader for_archive, StoreReader for_launches, ClusterSpec spec,
          ReadConfig read_again, LogSink& sink)
        : log(sink),
          config(std::move(read_again), [this](Input input) { inbox.push(std::move(input)); }),
          store(std::move(opened.store)),
          archive(std::move(for_archive)),
          scripts(std::move(for_launches)),
          loop(Controller(Engine(std::move(opened.state)), std::move(spec), opened.epoch,
                          opened.next_sequence, opened.last_at),
               World{inbox, clock, store, outside, outside, read_model, &log, &observers, &fence,
                     &hooks, &notices}) {}

    Status listen(const ControllerOptions& options, const std::optional<Listening>& listening);
    Status listen_to_agents(const ControllerOptions& options,
                            const std::optional<Listening>& listening);
    Result<std::shared_ptr<Registrar>> open_registrar(const ControllerOptions& options);
    Result<JobPayload> payload_of(const LaunchAttempt& launch);
    Status show_launch_key(const ControllerOptions& options) const;

    LogSink& log;
    SystemClock clock;
    DaemonInbox inbox{clock};
    ConfigReader config;
    ToInbox commands{inbox, config};
    Store store;
    StoreArchive archive;
    // A reader of its own, so that a launch does not wait for accounting queries.
    StoreReader scripts;
    ReadModel read_model;
    std::shared_ptr<Diagnostics> diagnostics = std::make_shared<Diagnostics>();
    std::shared_ptr<MetricCounts> counts = std::make_shared<MetricCounts>();
    std::shared_ptr<JobSubmit> job_submit = std::make_shared<JobSubmit>(log);
    Observers observers{{diagnostics.get(), counts.get()}};
    std::shared_ptr<Registrar> registrar;  // nullptr: no access from other hosts.
    std::optional<SigningKeys> launch_keys;
    OnceStarted outside;
    FenceRunner fence{[this](FenceAnswered answer) { inbox.push(std::move(answer)); }};
    HookRunner hooks{[this](HookAnswered answer) { inbox.push(std::move(answer)); }};
    NoticeSender notices{log, [this](const char* channel, const char* result) {
                             counts->notified(channel, result);
                         }};
    Loop loop;
    std::unique_ptr<AgentServer> agents;
    std::unique_ptr<HttpServer> http;
    std::unique_ptr<MetricsListener> metrics;
};

namespace {

Result<std::shared_ptr<AuditLog>> open_audit(const std::string& where, LogSink& log) {
    if (where == "none") return std::shared_ptr<AuditLog>();
    if (where == "journal") return std::shared_ptr<AuditLog>(open_audit_syslog());
    BERTH_TRY(std::unique_ptr<AuditLog> file, open_audit_file(where, log));
    return std::shared_ptr<AuditLog>(std::move(file));
}

// If the user does not exist, no agent runs as it: the host may run the controller only.
std::optional<std::uint32_t> uid_of_agents(const std::string& user, LogSink& log) {
    if (user.empty()) return std::nullopt;
    if (const passwd* const found = ::getpwnam(user.c_str())) return found->pw_uid;
    log.write(LogLevel::info, "berthd", "this host has no user '" + user + "' to run an agent");
    return std::nullopt;
}

}  // namespace

// Access from other hosts; its keys lie in STATE/keys.
Result<std::shared_ptr<Registrar>> ControllerDaemon::Parts::open_registrar(
    const ControllerOptions& options) {
    const std::string cluster = read_model.current()->spec->name;
    const std::string folder = options.state + "/keys";
    BERTH_TRY(Authority authority, Authority::open(folder, cluster, clock.now()));
    BERTH_TRY(SigningKeys keys, SigningKeys::open(folder));
    BERTH_TRY(Revocations revocations, Revocations::open(folder));
    return std::make_shared<Registrar>(std::move(authority), std::move(keys), cluster,
                                       launch_keys->public_keys(), std::move(revocations));
}

// The signing key of orders lies in STATE/keys. Its public half, for launchers on this host, is
// written beside the agents' socket. Written only once we listen there: until then it may be
// another berthd's.
Status ControllerDaemon::Parts::show_launch_key(const ControllerOptions& options) const {
    const std::size_t end = options.agent_socket.rfind('/');
    const std::string folder = end == std::string::npos ? "." : options.agent_socket.substr(0, end);
    return write_public_file(folder + "/launch.pub", launch_keys->public_keys());
}

Result<JobPayload> ControllerDaemon::Parts::payload_of(const LaunchAttempt& launch) {
    JobPayload payload;
    if (launch.batch_host) {
        BERTH_TRY(payload, scripts.payload(launch.job, launch.array_job));
    }
    if (registrar != nullptr) {
        payload.environment.push_back("BERTH_JOB_TOKEN=" +
                                      registrar->token_of_job(launch, clock.now()));
    }
    return payload;
}

Status ControllerDaemon::Parts::listen_to_agents(const ControllerOptions& options,
                                                 const std::optional<Listening>& listening) {
    BERTH_TRY(launch_keys, SigningKeys::open(options.state + "/keys", "launch"));
    AgentServerSettings settings{.address = "unix:" + options.agent_socket};
    settings.sign = [this](const std::string& node, const std::vector<std::string>& known,
                           Order& order) {
        sign_order(order, node, *launch_keys, clock.now(), known);
    };
    settings.agent_uid = uid_of_agents(options.agent_user, log);
    settings.is_of_this_host = [this, named = options.agent_node,
                                host = host_name()](const std::string& node) {
        return is_own_node(*read_model.current()->spec, node, named, host);
    };
    if (listening) {
        BERTH_TRY(registrar, open_registrar(options));
        const Authority& authority = registrar->authority();
        BERTH_TRY(KeyPair own,
                  authority.certify_controller(listening->names, clock.now(), kAuthorityLife));
        settings.tls =
            TlsListening{listening->link,
                         {authority.certificate(), std::move(own.certificate), std::move(own.key)},
                         [this](const std::string& request, const std::string& node) {
                             return registrar->renew(request, node, clock.now());
                         },
                         [this](const std::string& certificate) {
                             return registrar->objection_to(certificate);
                         }};
    }
    BERTH_TRY(agents, AgentServer::start(
                          std::move(settings), log,
                          [this](Input input) {
                              counts->heard(input, *read_model.current(), clock.now());
                              inbox.push(std::move(input));
                          },
                          [this](const LaunchAttempt& launch) { return payload_of(launch); }));
    if (registrar != nullptr) {
        registrar->when_revoked([this](const std::string& node) {
            log.write(LogLevel::warning, "berthd", "certificates of node " + node + " revoked");
            agents->cut_node(node);
        });
    }
    return Done{};
}

Status ControllerDaemon::Parts::listen(const ControllerOptions& options,
                                       const std::optional<Listening>& listening) {
    BERTH_CHECK(listen_to_agents(options, listening));
    BERTH_TRY(std::shared_ptr<AuditLog> audit, open_audit(options.audit_log, log));
    const ServerIdentity identity{.version = BERTH_VERSION,
                                  .host = host_name(),
                                  .started_at = clock.now(),
                                  .pid = static_cast<std::int32_t>(getpid())};
    HttpServerOptions api{.socket = options.socket,
                          .identity = identity,
                          .diagnostics = diagnostics,
                          .counts = counts,
                          .audit = std::move(audit),
                          .job_submit = job_submit};
    if (listening) {
        api.tls_address = to_string(listening->api);
        api.advertised = to_string(listening->advertised);
        api.certificate.host_names = listening->names;
        api.registrar = registrar;
    }
    BERTH_TRY(http, HttpServer::start(std::move(api), commands, read_model, archive, log));
    if (!options.metrics.empty()) {
        BERTH_TRY(const MetricsAddress address, parse_metrics_address(options.metrics));
        BERTH_TRY(metrics, MetricsListener::start(address, http->service()));
    }
    BERTH_CHECK(show_launch_key(options));
    outside.agents = agents.get();
    outside.clients = http.get();
    return Done{};
}

ControllerDaemon::ControllerDaemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

ControllerDaemon::~ControllerDaemon() {
    parts_->inbox.stop();
    parts_->metrics.reset();
    parts_->http.reset();
    parts_->agents.reset();
}

namespace {

// `names`: where the names of the resources are found, once the read model exists.
decltype(RetentionSettings::archive) archive_into(const std::string& folder,
                                                  std::shared_ptr<const ReadModel*> names) {
    if (folder.empty()) return {};
    return [file = ArchiveFile(folder),
            names = std::move(names)](const std::vector<AccountingRecord>& records) -> Status {
        return file.write(records, *(*names)->current()->spec);
    };
}

}  // namespace

Result<std::unique_ptr<ControllerDaemon>> ControllerDaemon::start(
    const ControllerOptions& options, const std::optional<Listening>& listening, ClusterSpec spec,
    ReadConfig read_again, LogSink& log) {
    const auto archive_names = std::make_shared<const ReadModel*>(nullptr);
    BERTH_TRY(Opened opened,
              Store::open(options.state,
                          {.keep_journal = options.keep_journal,
                           .accept_loss = options.accept_loss,
                           .retention = {.jobs = options.keep_jobs,
                                         .steps = options.keep_steps,
                                         .archive = archive_into(options.archive, archive_names)}},
                          log));
    log.write(LogLevel::info, "berthd",
              "epoch " + to_string(opened.epoch) + ": " +
                  std::to_string(opened.state.jobs().size()) +
                  " jobs, from the snapshot at record " + std::to_string(opened.snapshot_sequence) +
                  " and " + std::to_string(opened.replayed_records) + " records after it");
    const auto keep_ids_used = [first = opened.first_job](ClusterSpec read) {
        read.scheduling.first_job_id = std::max(read.scheduling.first_job_id, first);
        return read;
    };
    spec = keep_ids_used(std::move(spec));
    BERTH_CHECK(check_ids(spec.scheduling, opened.state.jobs().size()));
    const auto read = [read_again = std::move(read_again), keep_ids_used]() -> Result<ClusterSpec> {
        BERTH_TRY(ClusterSpec again, read_again());
        return keep_ids_used(std::move(again));
    };
    BERTH_TRY(StoreReader archive, StoreReader::open(options.state));
    BERTH_TRY(StoreReader scripts, StoreReader::open(options.state));
    auto parts = std::make_unique<Parts>(std::move(opened), std::move(archive), std::move(scripts),
                                         std::move(spec), read, log);
    *archive_names = &parts->read_model;
    BERTH_CHECK(parts->loop.run_once());
    BERTH_CHECK(parts->listen(options, listening));
    return std::unique_ptr<ControllerDaemon>(new ControllerDaemon(std::move(parts)));
}

void ControllerDaemon::reconfigure() {
    Principal administrator;
    administrator.user = administrator.group = "root";
    administrator.role = Role::admin;
    if (parts_->config.put({ReplyTo{0}, std::move(administrator), Reconfigure{}})) return;
    parts_->log.write(LogLevel::warning, "berthd",
                      "the configuration is being read again many times already: say so later");
}

Status ControllerDaemon::run() {
    while (!parts_->inbox.stopped()) BERTH_CHECK(parts_->loop.run_once());
    return Done{};
}

void ControllerDaemon::stop() { parts_->inbox.stop(); }

}  // namespace berth
