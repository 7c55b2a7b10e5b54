// The order of squeue's rows, -S. Rows are large and many, so the keys are extracted once, and the
// row need not be kept.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::slurm {

class SqueueOrder {
public:
    // Compared by the number, then by the text.
    struct Key {
        std::int64_t number = 0;
        std::string text = {};
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    struct Place {
        std::vector<Key> keys;
        JobId id{};
    };

    // "P,t,-p": by partition, then state, then priority, the highest first.
    static Result<SqueueOrder> read(std::string_view keys);

    Place place_of(const api::JobRow& job) const;
    bool before(const Place& a, const Place& b) const;

private:
    struct By {
        Key (*key)(const api::JobRow& job, char letter);
        char letter;
        bool falling;
    };
    std::vector<By> by_;
};

Status sort_jobs(std::vector<api::JobRow>& jobs, std::string_view keys);

}  // namespace berth::slurm
