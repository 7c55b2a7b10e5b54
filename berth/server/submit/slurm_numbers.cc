#include "berth/server/submit/slurm_numbers.h"

#include <algorithm>
#include <array>

namespace berth {
namespace {

struct SlurmError {
    const char* name;
    std::int64_t number;
    const char* text;
};

// Those of Slurm 25.11 that a decision about a submission or a change can come to.
// clang-format off
constexpr auto kErrors = std::to_array<SlurmError>({
    {"ESLURM_INVALID_PARTITION_NAME", 2000, "Invalid partition name specified"},
    {"ESLURM_DEFAULT_PARTITION_NOT_SET", 2001, "No partition specified or system default partition"},
    {"ESLURM_ACCESS_DENIED", 2002, "Access/permission denied"},
    {"ESLURM_JOB_MISSING_REQUIRED_PARTITION_GROUP", 2003, "User's group not permitted to use this partition"},
    {"ESLURM_REQUESTED_NODES_NOT_IN_PARTITION", 2004, "Requested nodes not in this partition"},
    {"ESLURM_TOO_MANY_REQUESTED_CPUS", 2005, "More processors requested than permitted"},
    {"ESLURM_INVALID_NODE_COUNT", 2006, "Node count specification invalid"},
    {"ESLURM_MAX_JOB_COUNT", 2007, "MaxJobCount limit reached"},
    {"ESLURM_JOB_MISSING_SIZE_SPECIFICATION", 2008, "Job size specification needs to be provided"},
    {"ESLURM_JOB_SCRIPT_MISSING", 2009, "Job script not specified"},
    {"ESLURM_USER_ID_MISSING", 2010, "Invalid user id"},
    {"ESLURM_DUPLICATE_JOB_ID", 2011, "Duplicate job id"},
    {"ESLURM_PATHNAME_TOO_LONG", 2012, "Pathname of a file, directory or other parameter too long"},
    {"ESLURM_NOT_TOP_PRIORITY", 2013, "Immediate execution impossible, insufficient priority"},
    {"ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE", 2014, "Requested node configuration is not available"},
    {"ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE", 2015, "Requested partition configuration not available now"},
    {"ESLURM_NODES_BUSY", 2016, "Requested nodes are busy"},
    {"ESLURM_INVALID_JOB_ID", 2017, "Invalid job id specified"},
    {"ESLURM_INVALID_NODE_NAME", 2018, "Invalid node name specified"},
    {"ESLURM_TRANSITION_STATE_NO_UPDATE", 2020, "Job can not be altered now, try again later"},
    {"ESLURM_ALREADY_DONE", 2021, "Job/step already completing or completed"},
    {"ESLURM_BAD_DIST", 2023, "Task distribution specification invalid"},
    {"ESLURM_JOB_PENDING", 2024, "Job is pending execution"},
    {"ESLURM_BAD_TASK_COUNT", 2025, "Task count specification invalid"},
    {"ESLURM_INVALID_NODE_STATE", 2028, "Invalid node state specified"},
    {"ESLURM_INVALID_FEATURE", 2029, "Invalid feature specification"},
    {"ESLURM_NOT_SUPPORTED", 2036, "Requested operation not supported on this system"},
    {"ESLURM_DISABLED", 2037, "Requested operation is presently disabled"},
    {"ESLURM_DEPENDENCY", 2038, "Job dependency problem"},
    {"ESLURM_BATCH_ONLY", 2039, "Only batch jobs are accepted or processed"},
    {"ESLURM_LICENSES_UNAVAILABLE", 2040, "Licenses currently unavailable"},
    {"ESLURM_JOB_HELD", 2042, "Job is in held state, pending scheduler release"},
    {"ESLURM_INVALID_TASK_MEMORY", 2044, "Memory required by task is not available"},
    {"ESLURM_INVALID_ACCOUNT", 2045, "Invalid account or account/partition combination specified"},
    {"ESLURM_INVALID_PARENT_ACCOUNT", 2046, "Invalid parent account specified"},
    {"ESLURM_INVALID_LICENSES", 2048, "Invalid license specification"},
    {"ESLURM_ACCOUNTING_POLICY", 2050, "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"},
    {"ESLURM_INVALID_TIME_LIMIT", 2051, "Requested time limit is invalid (missing or exceeds some limit)"},
    {"ESLURM_RESERVATION_ACCESS", 2052, "Access denied to requested reservation"},
    {"ESLURM_RESERVATION_INVALID", 2053, "Requested reservation is invalid"},
    {"ESLURM_INVALID_TIME_VALUE", 2054, "Invalid time specified"},
    {"ESLURM_RESERVATION_BUSY", 2055, "Requested reservation is in use"},
    {"ESLURM_RESERVATION_NOT_USABLE", 2056, "Requested reservation not usable now"},
    {"ESLURM_INVALID_WCKEY", 2057, "Invalid wckey specification"},
    {"ESLURM_PORTS_BUSY", 2059, "Required ports are in use"},
    {"ESLURM_PORTS_INVALID", 2060, "Requires more ports than can be reserved"},
    {"ESLURM_MISSING_WORK_DIR", 2063, "Job cannot be submitted without the current working directory specified."},
    {"ESLURM_INVALID_QOS", 2066, "Invalid qos specification"},
    {"ESLURM_NODE_NOT_AVAIL", 2068, "Required node not available (down, drained or reserved)"},
    {"ESLURM_INVALID_CPU_COUNT", 2069, "CPU count specification invalid"},
    {"ESLURM_PARTITION_NOT_AVAIL", 2070, "Required partition not available (inactive or drain)"},
    {"ESLURM_CIRCULAR_DEPENDENCY", 2071, "Circular job dependency"},
    {"ESLURM_INVALID_GRES", 2072, "Invalid generic resource (gres) specification"},
    {"ESLURM_JOB_NOT_PENDING", 2073, "Job is no longer pending execution"},
    {"ESLURM_QOS_THRES", 2074, "Requested account has breached requested QOS usage threshold"},
    {"ESLURM_PARTITION_IN_USE", 2075, "Partition is in use"},
    {"ESLURM_STEP_LIMIT", 2076, "Step limit reached for this job"},
    {"ESLURM_JOB_SUSPENDED", 2077, "Job is current suspended, requested operation disabled"},
    {"ESLURM_CAN_NOT_START_IMMEDIATELY", 2078, "Job can not start immediately"},
    {"ESLURM_INVALID_ARRAY", 2081, "Invalid job array specification"},
    {"ESLURM_JOB_STARTED", 2083, "Job has already started"},
    {"ESLURM_JOB_FINISHED", 2084, "Job has already finished"},
    {"ESLURM_JOB_NOT_RUNNING", 2085, "Job is not running"},
    {"ESLURM_JOB_NOT_PENDING_NOR_RUNNING", 2086, "Job is not pending nor running"},
    {"ESLURM_INTERNAL", 2090, "Slurm internal error, contact system administrator"},
    {"ESLURM_PRIO_RESET_FAIL", 2095, "Changes to job priority are not persistent, change nice instead"},
    {"ESLURM_INVALID_MCS_LABEL", 2099, "Invalid mcs_label specified"},
    {"ESLURM_PARTITION_DOWN", 2101, "Partition in DOWN state"},
    {"ESLURM_DUPLICATE_GRES", 2102, "Duplicate generic resource (gres) specification"},
    {"ESLURM_SUBMISSIONS_DISABLED", 2105, "System submissions disabled"},
    {"ESLURM_NOT_WHOLE_HET_JOB", 2108, "Operation not permitted on individual component of heterogeneous job"},
    {"ESLURM_X11_NOT_AVAIL", 2112, "X11 forwarding not available"},
    {"ESLURM_GROUP_ID_MISSING", 2113, "Invalid group id"},
    {"ESLURM_INVALID_TRES", 2115, "Invalid Trackable RESource (TRES) specification"},
    {"ESLURM_RESERVATION_MAINT", 2118, "Job can not start due to maintenance reservation."},
    {"ESLURM_INVALID_GRES_TYPE", 2119, "Invalid GRES specification (with and without type identification)"},
    {"ESLURM_UNSUPPORTED_GRES", 2122, "Requested GRES option unsupported by configured SelectType plugin"},
    {"ESLURM_INVALID_NICE", 2123, "Invalid --nice value"},
    {"ESLURM_INVALID_TIME_MIN_LIMIT", 2124, "Invalid time-min specification (exceeds job's time or other limits)"},
    {"ESLURM_PARTITION_ASSOC", 2130, "Multiple partition job request not supported when a partition is set in the association"},
    {"ESLURM_BAD_THREAD_PER_CORE", 2132, "Cannot request more threads per core than the job allocation"},
    {"ESLURM_INVALID_PREFER", 2133, "Invalid preferred feature specification"},
    {"ESLURM_MISSING_TIME_LIMIT", 8000, "Time limit specification required, but not provided"},
});

const auto kConstants = std::to_array<ScriptConstant>({
    {"SUCCESS", std::int64_t{0}},
    {"ERROR", std::int64_t{-1}},
    {"FAILURE", std::int64_t{-1}},
    {"NO_VAL", kSlurmNoValue},
    {"NO_VAL16", kSlurmNoValue16},
    {"NO_VAL8", std::int64_t{0xfe}},
    {"NO_VAL64", kSlurmNoValue64},
    {"INFINITE", kSlurmInfinite},
    {"INFINITE16", kSlurmInfinite16},
    {"INFINITE8", std::int64_t{0xff}},
    {"INFINITE64", 18446744073709551615.0},
    {"MEM_PER_CPU", kSlurmMemoryPerCpu},
    {"NICE_OFFSET", kSlurmNiceOffset},
    {"JOB_SHARED_NONE", std::int64_t{0}},
    {"JOB_SHARED_OK", std::int64_t{1}},
    {"JOB_SHARED_USER", std::int64_t{2}},
    {"JOB_SHARED_MCS", std::int64_t{3}},
});
// clang-format on

std::vector<ScriptConstant> all_constants() {
    std::vector<ScriptConstant> all(kConstants.begin(), kConstants.end());
    for (const SlurmError& error : kErrors) {
        // Not push_back(): GCC 12 then takes parts of the moved variant for uninitialized.
        ScriptConstant& constant = all.emplace_back();
        constant.name = error.name;
        constant.value = error.number;
    }
    return all;
}

}  // namespace

std::span<const ScriptConstant> slurm_constants() {
    static const std::vector<ScriptConstant> all = all_constants();
    return all;
}

std::string slurm_error_text(std::int64_t number) {
    if (number == -1) return "Unspecified error";
    const auto* const found = std::ranges::find(kErrors, number, &SlurmError::number);
    if (found != kErrors.end()) return found->text;
    return "Unknown error " + std::to_string(number);
}

}  // namespace berth
