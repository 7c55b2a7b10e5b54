#include "berth/slurm/options/site_options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/slurm/options/option_fault.h"
#include "berth/slurm/options/option_values.h"

namespace berth::slurm {
namespace {

constexpr auto kLogLevels =
    std::to_array<std::string_view>({"quiet", "fatal", "error", "info", "verbose", "debug",
                                     "debug2", "debug3", "debug4", "debug5"});

// Where windows would appear: what $DISPLAY says.
Status check_display() {
    const char* const set = std::getenv("DISPLAY");
    if (set == nullptr)
        return invalid_argument("No DISPLAY variable set, cannot setup x11 forwarding.");
    const std::string_view display = set;
    if (display.starts_with(':')) {
        const std::string socket =
            "/tmp/.X11-unix/X" + std::string(display.substr(1, display.find('.') - 1));
        struct stat known{};
        if (::stat(socket.c_str(), &known) == 0) return Done{};
        return invalid_argument("Cannot stat() local X11 socket `" + socket + "`");
    }
    if (display.find(':') != std::string_view::npos) return Done{};
    return invalid_argument(
        "Error parsing DISPLAY environment variable. Cannot use X11 forwarding.");
}

}  // namespace

Status set_burst_buffer_file(JobDraft&, const char* value) {
    struct stat known{};
    const bool has_text = ::stat(value, &known) == 0 && S_ISREG(known.st_mode) &&
                          known.st_size > 0 && ::access(value, R_OK) == 0;
    if (!has_text) return invalid_argument("Invalid --bbf specification");
    return Done{};
}

Status set_reboot(JobDraft& draft, const char*) {
    if (draft.in_a_job) return Done{};
    if (::geteuid() != 0) {
        return not_submitted("Access/permission denied",
                             "rebooting of nodes is only allowed for admins");
    }
    return Error{ErrorCode::failed_precondition,
                 "--reboot is not supported: run scontrol reboot ASAP for the nodes, and submit "
                 "the job then"};
}

Status set_reserved_ports(JobDraft& draft, const char* value) {
    if (value == nullptr) return Done{};
    const auto count = parse_int64(value);
    if (!count.ok() || *count < 0 || *count > INT32_MAX) return invalid_number(value, "resv-port");
    draft.of_step.reserves_ports = *count > 0;
    return Done{};
}

Status set_slurmd_debug(JobDraft&, const char* value) {
    const auto number = parse_int64(value);
    const bool is_level = std::ranges::find(kLogLevels, to_lower(value)) != kLogLevels.end();
    if (is_level || (number.ok() && *number >= 0)) return Done{};
    return invalid_argument("Invalid --slurmd-debug specification");
}

Status set_x11(JobDraft& draft, const char*) {
    BERTH_CHECK(check_display());
    if (!draft.in_a_job) return not_submitted("X11 forwarding not available");
    draft.of_step.asks_for_x11 = true;
    return Done{};
}

}  // namespace berth::slurm
