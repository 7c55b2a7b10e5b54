#include "berth/slurm/jobs/job_wait.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <thread>

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;

constexpr auto kNotFinal = std::to_array<std::string_view>(
    {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED"});

bool is_final(std::string_view state) {
    return std::ranges::find(kNotFinal, state) == kNotFinal.end();
}

}  // namespace

int exit_code_of(const api::AccountingRow& over) {
    if (over.state == "COMPLETED") return 0;
    return over.exit.signal == 0 && over.exit.code > 0 ? over.exit.code : 1;
}

// From accounting, which knows of the job from the answer of its submission on, and for ever.
CallResult<int> wait_for_end(Client& client, JobId job) {
    api::AccountingQuery query;
    query.jobs = {job};
    for (std::chrono::milliseconds pause = 50ms;;
         pause = std::min(pause * 3 / 2, kLongestWaitPause)) {
        const auto rows = client.accounting(query);
        if (!rows) return rows.problem();
        int code = 0;
        bool is_over = true;
        for (const api::AccountingRow& row : *rows) {
            is_over = is_over && is_final(row.state);
            code = std::max(code, exit_code_of(row));
        }
        if (is_over && !rows->empty()) return code;
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace berth::slurm
