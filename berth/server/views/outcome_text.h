// What `berth why` says of a running or ended job, in sentences.
#pragma once

#include <string>
#include <vector>

#include "berth/store/accounting.h"

namespace berth {

// The first line has the outcome; the others, indented, say where, for how long and why.
std::vector<std::string> outcome_of(const AccountingRecord& record, Time now);

}  // namespace berth
