// Globals: the single keys of slurm.conf, read as what they are.
#pragma once

#include "berth/config/draft.h"

namespace berth::config {

class Globals {
public:
    explicit Globals(Draft& draft);

    const Line& line() const { return line_; }

    // Each is `otherwise` where the key is missing, or wrong (and then said so).
    std::int64_t number(const char* key, std::int64_t low, std::int64_t high,
                        std::int64_t otherwise);
    Duration seconds(const char* key, Duration otherwise);
    Duration length(const char* key,
                    Duration otherwise);  // "5", "7-0", "1:00:00"; in whole minutes.
    bool flag(const char* key, bool otherwise);

private:
    Draft& draft_;
    Line line_;
};

}  // namespace berth::config
