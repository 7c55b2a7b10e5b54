// PerNode: a value for each node of the cluster. A node that joins later starts with T{}.
#pragma once

#include <deque>

#include "berth/model/ids.h"

namespace berth {

template <class T>
class PerNode {
public:
    // References stay valid when nodes are added.
    T& operator[](NodeId node) {
        if (node.index() >= values_.size()) values_.resize(node.index() + 1);
        return values_[node.index()];
    }
    const T& operator[](NodeId node) const {
        static const T kInitial{};
        return node.index() < values_.size() ? values_[node.index()] : kInitial;
    }

private:
    std::deque<T> values_;
};

}  // namespace berth
