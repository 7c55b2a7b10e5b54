#include "berth/sim/controller_process.h"

namespace berth::sim {
namespace {

// Every this many records, the hash of the state is kept and compared in a replay.
constexpr std::uint64_t kHashEvery = 16;
// Every this many records, the engine checks its own state.
constexpr std::uint64_t kCheckEvery = 8;
constexpr std::size_t kSliceBytes = 4096;

// Only what the oracle reads: a state refuses such an allocation.
void pile_up_all_parts(const ClusterState& state, std::vector<Fact>& facts) {
    for (Fact& fact : facts) {
        auto* const started = std::get_if<StartJob>(&fact);
        if (started != nullptr) pile_up_parts(state, started->allocation);
    }
}

}  // namespace

ControllerProcess::ControllerProcess(Stage& stage, Network& network, Oracle& oracle,
                                     ClusterSpec spec, const FaultMix& mix,
                                     const ControllerFlaws& flaws, Rng rng)
    : stage_(stage),
      network_(network),
      oracle_(oracle),
      spec_(std::move(spec)),
      mix_(mix),
      unprotected_(flaws.protections),
      bugs_(flaws.bugs),
      rng_(rng),
      journal_(stage, flaws.bugs) {}

void ControllerProcess::start() {
    ++life_;
    SimJournal::Recovered recovered = journal_.recover();
    if (!stage_.violation().empty()) return;
    oracle_.recovered(recovered.state);
    epoch_ = Epoch{recovered.state.epoch().value() + 1};
    stage_.trace([&] { return "controller takes office in term " + to_string(epoch_); });
    Engine engine(std::move(recovered.state));
    inject(engine, bugs_.engine);
    Controller controller(std::move(engine), spec_, epoch_, recovered.next_sequence);
    controller.limit_cycles(cycle_budget_);
    World world{*this, *this, *this, *this, *this, *this, nullptr, nullptr, fence_, hooks_};
    loop_ = std::make_unique<Loop>(std::move(controller), world);
    inbox_.clear();
    busy_until_ = stage_.now();
    run_due_ = false;
    run_at(stage_.now());
}

void ControllerProcess::crash(Duration until_restart) {
    if (!loop_) return;
    const bool cut_off = journal_.tail() > 0;
    if (cut_off) {
        const bool kept = rng_.chance(50);
        stage_.count(kept ? Fault::tail_kept : Fault::tail_lost);
        stage_.trace(
            [&] { return std::string("the unsynced tail is ") + (kept ? "kept" : "lost"); });
        if (kept) {
            journal_.commit();
            tail_is_durable();
        } else {
            journal_.lose_tail();
        }
        tail_.clear();
        tail_records_.clear();
    } else if (journal_.recover().state.hash() != state().hash()) {
        stage_.violated("I13", "what is durable is another state than the one in memory");
    }
    stage_.trace([&] { return "controller crashes"; });
    loop_.reset();
    ++life_;
    inbox_.clear();
    network_.controller_died();
    disturbed_at_ = stage_.now() + until_restart;
    stage_.time.in(until_restart, [this, life = life_] {
        if (life_ == life) start();
    });
}

void ControllerProcess::jump_clock(Duration by) {
    clock_ahead_ += by;
    disturbed_at_ = stage_.now();
    if (loop_) run_at(stage_.now());
}

void ControllerProcess::input(Input input) {
    if (!loop_) return;
    inbox_.push_back(std::move(input));
    run_at(stage_.now());
}

void ControllerProcess::run_at(Time when) {
    if (run_due_) return;
    run_due_ = true;
    stage_.time.at(std::max(when, busy_until_), [this, life = life_] {
        if (life_ != life) return;
        run_due_ = false;
        run();
    });
}

void ControllerProcess::run() {
    if (!loop_ || !stage_.violation().empty()) return;
    if (stage_.now() < busy_until_) return run_at(busy_until_);
    BERTH_ASSERT(loop_->run_once().ok());
    const std::optional<Time> wake = loop_->wake_at();
    if (!wake) return;
    const Time at = std::max(*wake - clock_ahead_, stage_.now() + Duration(1));
    stage_.time.at(at, [this, life = life_, number = ++wake_] {
        if (life_ == life && wake_ == number) run_at(stage_.now());
    });
}

// ---- The ports.

std::vector<Input> ControllerProcess::wait_until(std::optional<Time>) {
    return unprotected_.take(state(), std::exchange(inbox_, {}));
}

Duration ControllerProcess::commit_time() {
    if (rng_.between(1, 10'000) > mix_.slow_commit) return Duration(rng_.between(1, 5));
    stage_.count(Fault::slow_commit);
    return Duration(rng_.between(100, 4000));
}

// The record is appended at once and durable after a while. Until then the loop behaves as if it
// still waited, and its output is held back.
Status ControllerProcess::append(const Record& record, const ClusterState& after) {
    std::optional<std::uint64_t> hash;
    if (record.sequence % kHashEvery == 0) hash = after.hash();
    journal_.append(record, hash);
    tail_.push_back(oracle_.read(record, after));
    if (bugs_.piles_up_parts) pile_up_all_parts(after, tail_.back().facts);
    if (keeps_records_) tail_records_.push_back(record);
    const Duration wait = commit_time();
    busy_until_ = stage_.now() + wait;
    stage_.time.at(busy_until_, [this, life = life_] {
        if (life_ != life) return;
        journal_.commit();
        tail_is_durable();
    });
    if (rng_.between(1, 10'000) <= mix_.crash_in_commit) {
        stage_.count(Fault::crash_in_commit);
        const Duration after_append(rng_.between(0, wait.count() - 1));
        const Duration restart(rng_.between(500, 120'000));
        stage_.time.in(after_append, [this, life = life_, restart] {
            if (life_ == life) crash(restart);
        });
    }
    return Done{};
}

void ControllerProcess::tail_is_durable() {
    for (const Recorded& recorded : std::exchange(tail_, {})) oracle_.recorded(recorded);
    for (Record& record : std::exchange(tail_records_, {})) records_.push_back(std::move(record));
}

Status ControllerProcess::rest(const ClusterState& state) {
    if (journal_.tail() > 0 && rng_.between(1, 250) == 1) journal_.snapshot(state, kSliceBytes);
    return Done{};
}

void ControllerProcess::release(std::function<void()> what) {
    const Time durable = unprotected_.holds_output_back() ? busy_until_ : stage_.now();
    stage_.time.at(std::max(durable, stage_.now()), [this, life = life_, what = std::move(what)] {
        if (life_ == life) what();
    });
}

void ControllerProcess::send(OutgoingOrder order) {
    if (auto* launch = std::get_if<LaunchAttempt>(&order.order.body)) {
        launch->payload = journal_.payload(launch->array_job.value_or(launch->job));
    }
    std::vector<Input> forged;
    std::optional<OutgoingOrder> sent = unprotected_.send(state(), std::move(order), forged);
    for (Input& one : forged) input(std::move(one));
    if (!sent) return;
    release(
        [this, order = *std::move(sent)] { network_.send_order(order.link.number, order.order); });
}

void ControllerProcess::close(Link link) {
    release([this, link] { network_.close_at_controller(link.number, std::chrono::seconds(5)); });
}

void ControllerProcess::answer(OutgoingAnswer answer) {
    release([this, answer = std::move(answer)] { to_clients_(answer); });
}

// Readers must see a consistent state.
void ControllerProcess::publish(const ClusterState& state, const Changes& changes) {
    if (bugs_.checks_itself && changes.sequence % kCheckEvery == 0) state.check_invariants();
}

}  // namespace berth::sim
