// MpiKind: what serves the MPI library of a step's tasks, in the words of srun --mpi and
// MpiDefault.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace berth {

inline constexpr std::string_view kNoMpi = "none", kPmi2 = "pmi2", kPmix = "pmix";
inline constexpr std::array kMpiKinds = {kNoMpi, kPmi2, kPmix};

inline bool is_mpi_kind(std::string_view word) {
    return std::ranges::find(kMpiKinds, word) != kMpiKinds.end();
}

}  // namespace berth
