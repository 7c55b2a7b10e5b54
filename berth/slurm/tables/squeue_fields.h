// The fields of squeue: what each letter of -o prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"

namespace berth::slurm {

struct JobField {
    char letter;
    std::string_view header;
    std::string (*text)(const api::JobRow& job, Time now);
    std::string_view reads = {};  // Of the row, separated by spaces; empty: it may be all.
};

// The fields that the controller must send for these letters of -o and -S; empty: all.
std::vector<std::string> fields_for(std::string_view letters);

// nullptr: squeue has no such letter, or it is not built yet.
const JobField* find_job_field(char letter);

bool is_time(char letter);  // Slurm never cuts those off.

// A field of -O that has no letter of -o.
struct LongField {
    std::string_view name;
    std::string_view header;
    std::string (*text)(const api::JobRow& job, Time now);
};
const LongField* find_long_field(std::string_view name);
char letter_of_long_name(std::string_view name, bool of_steps);  // 0: it has none.

struct StepField {
    char letter;
    std::string_view header;
    std::string (*text)(const api::JobRow& job, const api::StepRow& step, Time now);
};
const StepField* find_step_field(char letter);

}  // namespace berth::slurm
