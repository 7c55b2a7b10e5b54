#include "berth/wire/link_messages.h"

#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include "berth/base/codec.h"
#include "berth/model/exit_status.h"

namespace berth {

namespace {

constexpr std::uint32_t kCodecFormat = 1;

template <class T>
void set(wire::Encoded& out, const T& value) {
    out.set_format(kCodecFormat);
    out.set_bytes(encode(value));
}

template <class T>
Result<T> get(const wire::Encoded& in) {
    if (in.format() != kCodecFormat) {
        return Error{ErrorCode::invalid_argument,
                     "encoded in format " + std::to_string(in.format()) + "; this program knows " +
                         std::to_string(kCodecFormat)};
    }
    return decode<T>(in.bytes(), kMessageRoom);
}

template <class T>
void set_key(wire::AttemptKey& out, const T& of) {
    out.set_job(of.job.value());
    out.set_attempt(of.attempt.value());
}

template <class T>
void get_key(const wire::AttemptKey& in, T& of) {
    of.job = JobId(in.job());
    of.attempt = Attempt(in.attempt());
}

wire::Exit to_wire(const ExitStatus& exit) {
    wire::Exit out;
    out.set_code(exit.code);
    out.set_signal(exit.signal);
    return out;
}

ExitStatus from_wire(const wire::Exit& exit) {
    return {exit_number(exit.code()), exit_number(exit.signal())};
}

Duration from_ms(std::int64_t count) { return Duration(count); }

Error malformed(std::string_view what) {
    return {ErrorCode::invalid_argument, "a message without " + std::string(what)};
}

// ---- Reports: each goes into the message field of its kind.

struct FillReport {
    wire::FromAgent& out;

    void operator()(const Registration& report) { set(*out.mutable_registration(), report); }
    void operator()(const Heartbeat& report) {
        wire::Heartbeat& heartbeat = *out.mutable_heartbeat();
        for (const GpuReading& read : report.gpus) {
            wire::GpuReading& gpu = *heartbeat.add_gpus();
            gpu.set_gpu(read.gpu);
            gpu.set_utilisation(read.utilisation);
            gpu.set_memory(read.memory);
            gpu.set_temperature(read.temperature);
            gpu.set_power(read.power);
        }
    }
    void operator()(const AttemptStarted& report) {
        set_key(*out.mutable_attempt_started(), report);
    }
    void operator()(const StepStarted& report) {
        set_key(*out.mutable_step_started()->mutable_attempt(), report);
        out.mutable_step_started()->set_step(report.step.value());
    }
    void operator()(const AttemptReport& report) {
        wire::AttemptEnd& end = *out.mutable_attempt_end();
        set_key(*end.mutable_attempt(), report);
        end.set_live(report.live);
        if (report.batch_exit) *end.mutable_batch_exit() = to_wire(*report.batch_exit);
        end.set_out_of_memory(report.out_of_memory);
        end.set_never_ran(report.never_ran);
        end.set_failure(report.failure);
        for (const StepId step : report.live_steps) end.add_live_steps(step.value());
        end.set_failed_hook(static_cast<std::uint32_t>(report.failed_hook));
        end.set_hook_failure(report.hook_failure);
        end.set_not_begun(static_cast<std::uint32_t>(report.not_begun));
        if (report.usage) set(*end.mutable_usage(), *report.usage);
        if (report.ended_at) end.set_ended_at(report.ended_at->time_since_epoch().count());
        end.set_checkpointed(report.checkpointed);
    }
    void operator()(const StepReport& report) {
        wire::StepEnd& end = *out.mutable_step_end();
        set_key(*end.mutable_attempt(), report);
        end.set_step(report.step.value());
        *end.mutable_exit() = to_wire(report.exit);
        end.set_out_of_memory(report.out_of_memory);
        end.set_failure(report.failure);
        if (report.usage) set(*end.mutable_usage(), *report.usage);
    }
    void operator()(const GpusFaulted& report) { set(*out.mutable_gpus_faulted(), report); }
    void operator()(const UsageSampled& report) { set(*out.mutable_usage_sampled(), report); }
    void operator()(const NodeProgramEnded& report) {
        set(*out.mutable_node_program_ended(), report);
    }
    void operator()(const AttemptFrozen& report) {
        set_key(*out.mutable_attempt_frozen()->mutable_attempt(), report);
        out.mutable_attempt_frozen()->set_change(report.change);
        out.mutable_attempt_frozen()->set_proved(report.proved);
    }
    void operator()(const AttemptCheckpointed& report) {
        set_key(*out.mutable_attempt_checkpointed(), report);
    }
    void operator()(const AttemptUnkillable& report) {
        set_key(*out.mutable_attempt_unkillable(), report);
    }
};

// Used only for accounting: an end counts even if its usage is unreadable.
template <class Message>
std::optional<RunUsage> usage_in(const Message& in) {
    if (!in.has_usage()) return std::nullopt;
    const Result<RunUsage> usage = get<RunUsage>(in.usage());
    return usage.ok() ? std::optional(*usage) : std::nullopt;
}

AttemptReport attempt_report(const wire::AttemptEnd& in) {
    AttemptReport report{.live = in.live(),
                         .out_of_memory = in.out_of_memory(),
                         .never_ran = in.never_ran(),
                         .failure = in.failure()};
    get_key(in.attempt(), report);
    if (in.has_batch_exit()) report.batch_exit = from_wire(in.batch_exit());
    for (const std::uint32_t step : in.live_steps()) report.live_steps.push_back(StepId(step));
    if (in.failed_hook() <= static_cast<std::uint32_t>(Hook::epilog)) {
        report.failed_hook = static_cast<Hook>(in.failed_hook());
    }
    report.hook_failure = in.hook_failure();
    if (in.not_begun() <= static_cast<std::uint32_t>(NotBegun::for_node)) {
        report.not_begun = static_cast<NotBegun>(in.not_begun());
    }
    report.usage = usage_in(in);
    if (in.has_ended_at()) report.ended_at = Time(Duration(in.ended_at()));
    report.checkpointed = in.checkpointed();
    return report;
}

StepReport step_report(const wire::StepEnd& in) {
    StepReport report{.step = StepId(in.step()),
                      .exit = from_wire(in.exit()),
                      .out_of_memory = in.out_of_memory(),
                      .failure = in.failure(),
                      .usage = usage_in(in)};
    get_key(in.attempt(), report);
    return report;
}

// ---- Orders: each goes into the message field of its kind.

struct FillOrder {
    wire::FromController& out;

    void operator()(const LaunchAttempt& order) {
        wire::LaunchAttempt& launch = *out.mutable_launch_attempt();
        LaunchAttempt rest = order;
        rest.payload = {};
        set(*launch.mutable_order(), rest);
        launch.set_script(order.payload.script);
        for (const std::string& variable : order.payload.environment) {
            launch.add_environment(variable);
        }
    }
    void operator()(const LaunchStep& order) { set(*out.mutable_launch_step(), order); }
    void operator()(const EndAttempt& order) {
        wire::EndAttempt& end = *out.mutable_end_attempt();
        set_key(*end.mutable_attempt(), order);
        end.set_kill_wait_ms(order.kill_wait.count());
        end.set_signal(order.signal);
        end.set_reason(static_cast<std::uint32_t>(order.reason));
    }
    void operator()(const EndStep& order) {
        wire::EndStep& end = *out.mutable_end_step();
        set_key(*end.mutable_attempt(), order);
        end.set_step(order.step.value());
        end.set_kill_wait_ms(order.kill_wait.count());
        end.set_reason(static_cast<std::uint32_t>(order.reason));
    }
    void operator()(const SignalAttempt& order) {
        wire::SignalAttempt& send = *out.mutable_signal_attempt();
        set_key(*send.mutable_attempt(), order);
        if (order.step) send.set_step(order.step->value());
        send.set_whole_job(order.whole_job);
        send.set_signal(order.signal);
        send.set_checkpoint(order.checkpoint);
    }
    void operator()(const AcknowledgeEnd& order) {
        wire::AcknowledgeEnd& end = *out.mutable_acknowledge_end();
        set_key(*end.mutable_attempt(), order);
        if (order.step) end.set_step(order.step->value());
    }
    void operator()(const Welcome& order) {
        wire::Welcome& welcome = *out.mutable_welcome();
        welcome.set_node(order.node.value());
        welcome.set_heartbeat_ms(order.heartbeat.count());
        welcome.set_oldest_live_job(order.oldest_live_job.value());
        welcome.set_sampling_ms(order.sampling.count());
        if (order.setup) set(*welcome.mutable_setup(), *order.setup);
        for (const JobId job : order.over) welcome.add_over(job.value());
    }
    void operator()(const RunNodeProgram& order) { set(*out.mutable_run_node_program(), order); }
    void operator()(const FreezeAttempt& order) {
        wire::FreezeAttempt& freeze = *out.mutable_freeze_attempt();
        set_key(*freeze.mutable_attempt(), order);
        freeze.set_frozen(order.frozen);
        freeze.set_change(order.change);
    }
    void operator()(const NotifyAttempt& order) {
        wire::NotifyAttempt& notify = *out.mutable_notify_attempt();
        set_key(*notify.mutable_attempt(), order);
        notify.set_text(order.text);
    }
};

Result<OrderBody> launch_attempt(const wire::LaunchAttempt& in) {
    BERTH_TRY(LaunchAttempt order, get<LaunchAttempt>(in.order()));
    order.payload.script = in.script();
    order.payload.environment.assign(in.environment().begin(), in.environment().end());
    return OrderBody(std::move(order));
}

OrderBody signal_attempt(const wire::SignalAttempt& in) {
    SignalAttempt order{.whole_job = in.whole_job(), .signal = in.signal()};
    order.checkpoint = in.checkpoint();
    get_key(in.attempt(), order);
    if (in.has_step()) order.step = StepId(in.step());
    return order;
}

// One of a newer controller's is left at "cancelled", which is true of all of them.
EndReason reason_of(std::uint32_t number) {
    const bool is_known = number <= static_cast<std::uint32_t>(kLastEndReason);
    return is_known ? static_cast<EndReason>(number) : EndReason::cancelled;
}

OrderBody end_attempt(const wire::EndAttempt& in) {
    EndAttempt order{.kill_wait = from_ms(in.kill_wait_ms()), .signal = in.signal()};
    order.reason = reason_of(in.reason());
    get_key(in.attempt(), order);
    return order;
}

OrderBody end_step(const wire::EndStep& in) {
    EndStep order{.step = StepId(in.step()), .kill_wait = from_ms(in.kill_wait_ms())};
    order.reason = reason_of(in.reason());
    get_key(in.attempt(), order);
    return order;
}

OrderBody acknowledge_end(const wire::AcknowledgeEnd& in) {
    AcknowledgeEnd order;
    get_key(in.attempt(), order);
    if (in.has_step()) order.step = StepId(in.step());
    return order;
}

OrderBody freeze_attempt(const wire::FreezeAttempt& in) {
    FreezeAttempt order{.frozen = in.frozen(), .change = in.change()};
    get_key(in.attempt(), order);
    return order;
}

OrderBody notify_attempt(const wire::NotifyAttempt& in) {
    NotifyAttempt order{.text = in.text()};
    get_key(in.attempt(), order);
    return order;
}

Result<OrderBody> welcome(const wire::Welcome& in) {
    Welcome order{.node = NodeId(in.node()),
                  .heartbeat = from_ms(in.heartbeat_ms()),
                  .oldest_live_job = JobId(in.oldest_live_job()),
                  .sampling = from_ms(in.sampling_ms()),
                  .setup = std::nullopt,
                  .over = {}};
    for (const std::uint32_t job : in.over()) order.over.emplace_back(job);
    if (in.has_setup()) {
        BERTH_TRY(order.setup, get<NodeSetup>(in.setup()));
    }
    return OrderBody(std::move(order));
}

Result<OrderBody> order_body(const wire::FromController& in) {
    switch (in.body_case()) {
        case wire::FromController::kLaunchAttempt: return launch_attempt(in.launch_attempt());
        case wire::FromController::kLaunchStep: {
            BERTH_TRY(LaunchStep order, get<LaunchStep>(in.launch_step()));
            return OrderBody(std::move(order));
        }
        case wire::FromController::kEndAttempt: return end_attempt(in.end_attempt());
        case wire::FromController::kEndStep: return end_step(in.end_step());
        case wire::FromController::kSignalAttempt: return signal_attempt(in.signal_attempt());
        case wire::FromController::kAcknowledgeEnd: return acknowledge_end(in.acknowledge_end());
        case wire::FromController::kWelcome: return welcome(in.welcome());
        case wire::FromController::kRunNodeProgram: {
            BERTH_TRY(RunNodeProgram order, get<RunNodeProgram>(in.run_node_program()));
            return OrderBody(std::move(order));
        }
        case wire::FromController::kFreezeAttempt: return freeze_attempt(in.freeze_attempt());
        case wire::FromController::kNotifyAttempt: return notify_attempt(in.notify_attempt());
        case wire::FromController::BODY_NOT_SET: break;
    }
    return malformed("an order that this program knows");
}

Result<ReportBody> heartbeat(const wire::Heartbeat& in) {
    Heartbeat report;
    if (in.gpus_size() > static_cast<int>(kDevicesPerNodeMax))
        return malformed("a heartbeat whose GPUs a node can have");
    for (const wire::GpuReading& gpu : in.gpus()) {
        if (gpu.gpu() < 0 || gpu.gpu() >= static_cast<int>(kDevicesPerNodeMax)) {
            return malformed("a heartbeat whose GPUs a node can have");
        }
        report.gpus.push_back(
            {gpu.gpu(), gpu.utilisation(), gpu.memory(), gpu.temperature(), gpu.power()});
    }
    return ReportBody(std::move(report));
}

Result<ReportBody> report_body(const wire::FromAgent& in) {
    switch (in.body_case()) {
        case wire::FromAgent::kRegistration: {
            BERTH_TRY(Registration report, get<Registration>(in.registration()));
            return ReportBody(std::move(report));
        }
        case wire::FromAgent::kHeartbeat: return heartbeat(in.heartbeat());
        case wire::FromAgent::kAttemptStarted: {
            AttemptStarted report;
            get_key(in.attempt_started(), report);
            return ReportBody(report);
        }
        case wire::FromAgent::kStepStarted: {
            StepStarted report{.step = StepId(in.step_started().step())};
            get_key(in.step_started().attempt(), report);
            return ReportBody(report);
        }
        case wire::FromAgent::kAttemptEnd: return ReportBody(attempt_report(in.attempt_end()));
        case wire::FromAgent::kStepEnd: return ReportBody(step_report(in.step_end()));
        case wire::FromAgent::kGpusFaulted: {
            BERTH_TRY(GpusFaulted report, get<GpusFaulted>(in.gpus_faulted()));
            return ReportBody(std::move(report));
        }
        case wire::FromAgent::kUsageSampled: {
            BERTH_TRY(UsageSampled report, get<UsageSampled>(in.usage_sampled()));
            return ReportBody(std::move(report));
        }
        case wire::FromAgent::kNodeProgramEnded: {
            BERTH_TRY(NodeProgramEnded report, get<NodeProgramEnded>(in.node_program_ended()));
            return ReportBody(std::move(report));
        }
        case wire::FromAgent::kAttemptFrozen: {
            AttemptFrozen report{.change = in.attempt_frozen().change(),
                                 .proved = in.attempt_frozen().proved()};
            get_key(in.attempt_frozen().attempt(), report);
            return ReportBody(report);
        }
        case wire::FromAgent::kAttemptCheckpointed: {
            AttemptCheckpointed report;
            get_key(in.attempt_checkpointed(), report);
            return ReportBody(report);
        }
        case wire::FromAgent::kAttemptUnkillable: {
            AttemptUnkillable report;
            get_key(in.attempt_unkillable(), report);
            return ReportBody(report);
        }
        case wire::FromAgent::kHello: return malformed("a report: Hello is said once");
        case wire::FromAgent::kOrderRefused: return malformed("a report: it refuses an order");
        case wire::FromAgent::BODY_NOT_SET: break;
    }
    return malformed("a report that this program knows");
}

}  // namespace

wire::FromAgent to_wire(const Report& report) {
    wire::FromAgent message;
    message.set_boot_id(report.boot_id);
    message.set_session(report.session);
    std::visit(FillReport{message}, report.body);
    return message;
}

wire::FromController to_wire(const Order& order) {
    wire::FromController message;
    message.set_epoch(order.epoch.value());
    message.set_boot_id(order.boot_id);
    message.set_session(order.session);
    std::visit(FillOrder{message}, order.body);
    return message;
}

namespace {

template <class Message>
std::uint32_t number_of(const Message& message) {
    if (message.body_case() != Message::BODY_NOT_SET)
        return static_cast<std::uint32_t>(message.body_case());
    const google::protobuf::UnknownFieldSet& unknown =
        message.GetReflection()->GetUnknownFields(message);
    return unknown.empty() ? 0 : static_cast<std::uint32_t>(unknown.field(0).number());
}

}  // namespace

std::uint32_t kind_of(const wire::FromAgent& message) { return number_of(message); }
std::uint32_t kind_of(const wire::FromController& message) { return number_of(message); }

wire::FromAgent refusal_of(const wire::FromController& order, const std::string& why) {
    wire::FromAgent message;
    message.set_boot_id(order.boot_id());
    message.set_session(order.session());
    message.mutable_order_refused()->set_order(kind_of(order));
    message.mutable_order_refused()->set_why(why);
    return message;
}

std::string words_of(const wire::OrderRefused& refused) {
    constexpr std::size_t kShown = 200;
    std::string why = refused.why().substr(0, kShown);
    for (char& c : why) {
        if (c < ' ' || c > '~') c = '?';
    }
    return "of kind " + std::to_string(refused.order()) + ": " + why +
           " (is its agent of an older version?)";
}

Result<Report> from_wire(const wire::FromAgent& message) {
    BERTH_TRY(ReportBody body, report_body(message));
    return Report{message.boot_id(), message.session(), std::move(body)};
}

Result<Order> from_wire(const wire::FromController& message) {
    BERTH_TRY(OrderBody body, order_body(message));
    return Order{Epoch(message.epoch()), message.boot_id(), message.session(), std::move(body)};
}

}  // namespace berth
