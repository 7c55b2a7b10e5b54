// The fields of sacct: what each column prints for a job, and for a step of it.
#pragma once

#include <string>
#include <string_view>

#include "berth/api/messages.h"

namespace berth::slurm {

struct AccountingField {
    std::string_view name;  // As --format takes it, in any case; and the header.
    int width;              // Negative: to the left.
    std::string (*of_job)(const api::AccountingRow& job, Time now);
    std::string (*of_step)(const api::AccountingRow& job, const api::StepRow& step,
                           Time now);  // nullptr: empty.
};

const AccountingField* find_accounting_field(std::string_view name);
std::string accounting_field_names();  // For --helpformat.

}  // namespace berth::slurm
