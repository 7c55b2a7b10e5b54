#include "berth/engine/derived/shape.h"

#include <algorithm>

namespace berth {
SharedShape::SharedShape(const std::shared_ptr<Kind>& kind, Duration length) {
    std::vector<Shape*>& known = kind->shapes.shapes_;
    const auto at = std::ranges::lower_bound(known, length, {}, &Shape::length);
    if (at != known.end() && (*at)->length == length) {
        held_ = *at;
        held_->holders.add();
        return;
    }
    held_ = new Shape{.holders = {}, .kind = kind.get(), .length = length};
    known.insert(at, held_);
    kind->shapes.kind_ = kind;
}

void SharedShape::remove(Shape* shape) {
    ShapeList& list = shape->kind->shapes;
    const std::shared_ptr<Kind> kind = list.kind_;  // Stays until all is done here.
    list.shapes_.erase(std::ranges::lower_bound(list.shapes_, shape->length, {}, &Shape::length));
    if (list.empty()) list.kind_.reset();
    delete shape;
}

}  // namespace berth
