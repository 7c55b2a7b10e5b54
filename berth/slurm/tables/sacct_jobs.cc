#include "berth/slurm/tables/sacct_jobs.h"

#include <cstdint>
#include <ostream>
#include <set>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/slurm/tables/sacct_fields.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

std::string rule() { return std::string(80, '-') + "\n"; }

}  // namespace

int print_scripts(Client& client, const std::vector<JobId>& jobs, Streams& streams) {
    int code = 0;
    for (const JobId job : jobs) {
        streams.out << "Batch Script for " << to_string(job) << '\n' << rule();
        const auto script = client.script(to_string(job));
        if (script) {
            streams.out << *script << '\n';
            continue;
        }
        streams.out << "NONE\n";
        streams.err << "sacct: error: " << slurm_message(script.problem()) << '\n';
        code = 1;
    }
    return code;
}

void print_environment(const api::AccountingRow& job, std::ostream& out) {
    out << "Environment used for " << find_accounting_field("JobID")->of_job(job, Time())
        << " (must be batch to display)\n"
        << rule() << "NONE\n\n";
}

Status find_associations(Client& client, SacctFilter& filter) {
    if (filter.association_ids.empty()) return Done{};
    const auto known = client.accounts().associations();
    if (!known) return invalid_argument(slurm_message(known.problem()));
    for (const std::uint64_t id : filter.association_ids) {
        if (id == 0 || id > known->size()) continue;
        const api::AssociationRow& one = (*known)[id - 1];
        filter.associations.emplace_back(one.account, one.user);
    }
    return Done{};
}

bool is_component(const std::string& named) { return named.find('+') != std::string::npos; }

std::vector<JobId> named_components(std::vector<JobId> jobs,
                                    const std::vector<std::string>& named) {
    for (const std::string& one : named) {
        const std::size_t plus = one.find('+');
        if (plus == std::string::npos) continue;
        const auto first = parse_int64(one.substr(0, plus));
        const auto offset = parse_int64(one.substr(plus + 1, one.find('.') - plus - 1));
        if (!first.ok() || !offset.ok() || *offset < 0 || *offset > UINT32_MAX - *first) continue;
        jobs.push_back(JobId(static_cast<std::uint32_t>(*first + *offset)));
    }
    return jobs;
}

Status name_whole_hetjobs(Client& client, api::AccountingQuery& query) {
    std::set<JobId> jobs(query.jobs.begin(), query.jobs.end());
    api::AccountingQuery named;
    named.jobs = query.jobs;
    const auto read = client.each_accounting(named, [&](api::AccountingRow&& job) {
        if (!job.het) return true;
        jobs.erase(job.job);
        jobs.insert(job.het->first);  // All are found by the first.
        return true;
    });
    if (!read) return invalid_argument(slurm_message(read.problem()));
    query.jobs.assign(jobs.begin(), jobs.end());
    return Done{};
}

}  // namespace berth::slurm
