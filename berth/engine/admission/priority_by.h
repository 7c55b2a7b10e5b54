// Who has set the priority and the nice value of a submission.
#pragma once

#include <cstdint>

namespace berth {

// The site's job_submit.lua may set what otherwise only operators may.
enum class PriorityBy : std::uint8_t { owner, site };

}  // namespace berth
