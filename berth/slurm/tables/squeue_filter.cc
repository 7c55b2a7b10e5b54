#include "berth/slurm/tables/squeue_filter.h"

#include <algorithm>

#include "berth/base/duration_text.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

bool names_hold(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

Result<Duration> read_time(std::string_view option, std::string_view text) {
    const auto time = parse_time_limit(text);
    if (time.ok() && *time && **time >= Duration::zero()) return **time;
    return Error{ErrorCode::invalid_argument,
                 "Invalid --" + std::string(option) + " time: " + std::string(text) +
                     " (it takes 30, 30:00, 1:30:00, 2-12 or 2-12:30:00)"};
}

}  // namespace

Status SqueueFilter::set_over(std::string_view text) {
    BERTH_TRY(over, read_time("running-over", text));
    return Done{};
}

Status SqueueFilter::set_under(std::string_view text) {
    BERTH_TRY(under, read_time("running-under", text));
    return Done{};
}

bool SqueueFilter::takes(const api::JobRow& job, Time now) const {
    if (!qos.empty() && !names_hold(qos, job.qos)) return false;
    if (!not_user.empty() && *job.owner.user == not_user) return false;
    if ((over || under) && job.state != "RUNNING") return false;
    if (over && run_time(job, now) <= *over) return false;
    if (under && run_time(job, now) >= *under) return false;
    if (!reservations.empty() && !names_hold(reservations, job.request.reservation)) return false;
    return licenses.empty() ||
           std::ranges::any_of(job.request.licenses->counts, [&](const LicenseCount& one) {
               return names_hold(licenses, one.name);
           });
}

std::optional<std::string> SqueueFilter::letters() const {
    if (!reservations.empty() || !licenses.empty()) return std::nullopt;
    std::string read;
    if (!qos.empty()) read += 'q';
    if (!not_user.empty()) read += 'u';
    if (over || under) read += "MT";
    return read;
}

}  // namespace berth::slurm
