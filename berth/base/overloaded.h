// Overloaded: several lambdas as one function, for std::visit.
#pragma once

namespace berth {

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};

}  // namespace berth
