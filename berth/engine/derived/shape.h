// Kinds and shapes: what jobs that ask for the same have in common, and what is known of their
// searches. There is a shape for every second job of a varied queue, so it is kept small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "berth/base/holders.h"
#include "berth/base/maybe.h"
#include "berth/base/shared_text.h"
#include "berth/engine/limits/limit_request.h"
#include "berth/engine/placement/demand.h"
#include "berth/engine/plan/close_look.h"
#include "berth/engine/plan/plan_book.h"
#include "berth/engine/plan/plan_search.h"

namespace berth {

struct Kind;
struct Shape;

// The shapes of one kind, by length, as SharedShape keeps them. It does not hold them.
class ShapeList {
public:
    auto begin() const { return shapes_.begin(); }
    auto end() const { return shapes_.end(); }
    bool empty() const { return shapes_.empty(); }
    Shape* front() const { return shapes_.front(); }

private:
    friend class SharedShape;

    std::vector<Shape*> shapes_;
    std::shared_ptr<Kind> kind_;  // While there are any: they hold it.
};

// What jobs with the same request and partition have in common, whatever their time limits.
struct Kind {
    std::uint64_t number = 0;  // No other kind has it.
    Demand demand;
    ClassRequirements requirements;
    // --switches=N@wait: the demand without the limit on switches, valid from relaxed_from on.
    Rare<Demand> relaxed;
    Time relaxed_from{};
    // The request has affinities to running jobs, for or against: it is evaluated anew each time
    // and gets no planned start.
    bool depends_on_running = false;
    bool has_affinities = false;
    bool of_components = false;  // Components of a heterogeneous job, which is placed as a whole.
    // Whether the demand fits the nodes that may take work, if they were empty. Kept until some
    // node's condition changes.
    enum class Feasibility : std::uint8_t {
        unknown,
        fits,
        not_now,
        never
    } feasibility = Feasibility::unknown;
    // Of the first component of a heterogeneous job: whether all components fit side by side.
    Feasibility together = Feasibility::unknown;
    std::optional<LimitRequest> asked;  // As limits count it, once a limit was checked.
    SharedText missing;                 // With not_now, once asked for: the nodes that are missing.
    ShapeList shapes;
    // For the search for immediate starts: the longest run that could start now, and the shortest
    // that was tried and failed.
    Duration longest_now{}, failed_now{};

    // Whether free slots do not tell if it can start now, so that it must be tried.
    bool needs_a_look() const { return needs_close_look(demand) || depends_on_running; }
};

// Jobs of one kind with the same time limit. When one of them finds no start, the others need not
// search until something is released, and then only there.
struct Shape {
    Holders holders;
    Kind* kind = nullptr;
    Duration length{};
    // No job of this shape without a planned start can start before `bound`, unless something was
    // released after `bound_at`.
    Time bound{};
    ReleaseNumber bound_at = 0;
    // The earliest time at which fresh nodes could help a job of this shape; computed for version
    // hope_at of the fresh nodes.
    Time hope{};
    std::uint64_t hope_at = 0;

    const Demand& demand() const { return kind->demand; }
};
static_assert(sizeof(Shape) == 56);  // 64 with malloc; 8 bytes more would be 80.

// One who holds a shape. The kind lists its shapes and does not hold them: a shape leaves the list
// with its last holder, and a kind goes with its last shape.
class SharedShape {
public:
    SharedShape() = default;
    // The kind's shape of this length, made if there is none.
    SharedShape(const std::shared_ptr<Kind>& kind, Duration length);
    SharedShape(const SharedShape& other) : held_(other.held_) {
        if (held_ != nullptr) held_->holders.add();
    }
    SharedShape(SharedShape&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
    SharedShape& operator=(SharedShape other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~SharedShape() {
        if (held_ != nullptr && held_->holders.drop()) remove(held_);
    }

    Shape* get() const { return held_; }
    Shape& operator*() const { return *held_; }
    Shape* operator->() const { return held_; }

private:
    static void remove(Shape* shape);

    Shape* held_ = nullptr;
};

}  // namespace berth
