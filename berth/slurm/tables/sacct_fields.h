// The fields of sacct: what each column prints for a job, and for a step of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

struct AccountingField {
    std::string_view name;  // As --format takes it, in any case; and the header.
    int width;              // Negative: to the left.
    std::string (*of_job)(const api::AccountingRow& job, Time now);
    std::string (*of_step)(const api::AccountingRow& job, const api::StepRow& step,
                           Time now);  // nullptr: empty.
};

const AccountingField* find_accounting_field(std::string_view name);

struct AccountingColumn {
    const AccountingField* field;
    std::size_t width;
    bool right;
};
// "jobid,state%20,alloctres%-60"
Result<std::vector<AccountingColumn>> accounting_columns(std::string_view format);
// On the first of its fields that does not exist. Empty: all do, or advice is off.
std::string advice_on_columns(const Invocation& call, std::string_view format);
std::string accounting_field_names();  // For --helpformat.

}  // namespace berth::slurm
