// How a job went that is running or over, in plain sentences: what `berth why` says of it.
#pragma once

#include <string>
#include <vector>

#include "berth/store/accounting.h"

namespace berth {

// The first line says what became of it; the others, indented, where, for how long and why.
std::vector<std::string> outcome_of(const AccountingRecord& record, Time now);

}  // namespace berth
