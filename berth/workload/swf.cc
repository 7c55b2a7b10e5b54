// SWF: the Standard Workload Format, version 2.2, of the Parallel Workloads Archive. Eighteen
// numbers to a line, -1 where nothing is known; what begins with ; is the header. Its processors
// are CPUs here, or, read as `swf_gpu`, GPUs.
#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/workload/formats.h"
#include "berth/workload/trace_values.h"

namespace berth::workload {
namespace {

// The fields, from 0, as the archive numbers them from 1.
enum Field : std::size_t {
    kNumber,
    kSubmit,
    kWait,
    kRunTime,
    kProcessors,
    kCpuTime,
    kMemoryUsed,
    kWantedProcessors,
    kWantedTime,
    kWantedMemory,
    kStatus,
    kUser,
    kGroup,
    kProgram,
    kQueue,
    kPartition,
    kPreceding,
    kThinkTime,
    kFields
};
using Numbers = std::array<std::int64_t, kFields>;

constexpr std::int64_t kNumberMax = kMillisMax / 1000;
constexpr std::int64_t kKibibyte = 1024;

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    while (!(line = trim(line)).empty()) {
        const std::size_t end = line.find_first_of(" \t");
        words.push_back(line.substr(0, end));
        line.remove_prefix(end == std::string_view::npos ? line.size() : end);
    }
    return words;
}

Result<Numbers> numbers_of(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() != kFields) {
        return Error{ErrorCode::invalid_argument,
                     "has " + std::to_string(words.size()) + " fields; a line of SWF has 18"};
    }
    Numbers numbers{};
    for (std::size_t i = 0; i < kFields; ++i) {
        const auto value = parse_thousandths(words[i]);  // Some archives have fractions.
        if (!value.ok() || *value / 1000 > kNumberMax || *value < -1000) {
            return Error{ErrorCode::invalid_argument, "field " + std::to_string(i + 1) + " is '" +
                                                          std::string(words[i].substr(0, 40)) +
                                                          "'; it should be a number, or -1"};
        }
        numbers[i] = *value / 1000;
    }
    return numbers;
}

std::string numbered(const char* what, std::int64_t number) {
    return number < 0 ? std::string() : what + std::to_string(number);
}

// 0 failed, 1 completed, 5 cancelled; 2 to 4 are parts of a job that has a line of its own.
bool has_run(const Numbers& numbers) {
    return numbers[kRunTime] >= 0 && (numbers[kStatus] <= 1 || numbers[kStatus] == 5) &&
           std::max(numbers[kWantedProcessors], numbers[kProcessors]) > 0;
}

TraceJob job_of(const Numbers& numbers, bool gpus) {
    TraceJob job;
    if (numbers[kNumber] > 0) job.number = static_cast<std::uint64_t>(numbers[kNumber]);
    job.submit = std::chrono::seconds(std::max<std::int64_t>(numbers[kSubmit], 0));
    job.run_time = std::chrono::seconds(numbers[kRunTime]);
    const std::int64_t wanted =
        numbers[kWantedProcessors] > 0 ? numbers[kWantedProcessors] : numbers[kProcessors];
    if (gpus) {
        job.gpus = wanted;
    } else {
        job.cpu_milli = wanted * 1000;
        if (numbers[kWantedMemory] > 0 && numbers[kWantedMemory] < kNumberMax / wanted) {
            job.memory = Bytes(numbers[kWantedMemory] * kKibibyte * wanted);
        }
    }
    if (numbers[kWantedTime] > 0) job.limit = std::chrono::seconds(numbers[kWantedTime]);
    job.user = numbered("user", numbers[kUser]);
    job.account = numbered("group", numbers[kGroup]);
    job.name = numbered("program", numbers[kProgram]);
    job.partition = numbered("partition", numbers[kPartition]);
    job.outcome = numbers[kStatus] == 0   ? Outcome::failed
                  : numbers[kStatus] == 5 ? Outcome::cancelled
                                          : Outcome::completed;
    return job;
}

void read_header(std::string_view line, Workload& workload) {
    constexpr std::string_view kBegin = "UnixStartTime:";
    const std::size_t at = line.find(kBegin);
    if (at == std::string_view::npos) return;
    const auto value = parse_int64(trim(line.substr(at + kBegin.size())));
    if (value.ok() && *value >= 0 && *value <= kNumberMax) workload.begin = *value;
}

Result<Workload> read(std::string_view text, bool gpus) {
    Workload workload;
    std::size_t number = 0;
    bool any = false;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = rest.find('\n');
        const std::string_view line = trim(rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        ++number;
        if (line.empty()) continue;
        if (line.front() == ';') {
            any = true;
            read_header(line, workload);
            continue;
        }
        ++workload.rows;
        const Result<Numbers> numbers = numbers_of(line);
        const std::int64_t most = gpus ? kGpusMax : kCpusMax;
        if (!numbers.ok()) {
            workload.reject(number, numbers.error().message);
        } else if (std::max((*numbers)[kWantedProcessors], (*numbers)[kProcessors]) > most) {
            workload.reject(number, "asks for more than " + std::to_string(most) + " processors");
        } else if (any = true; !has_run(*numbers)) {
            ++workload.skipped;
        } else {
            workload.jobs.push_back(job_of(*numbers, gpus));
            if (workload.jobs.back().number == 0) workload.jobs.back().number = workload.rows;
        }
    }
    if (!any) {
        return Error{ErrorCode::invalid_argument,
                     "no line of it has 18 numbers or a header that begins with ;"};
    }
    finish(workload);
    return workload;
}

}  // namespace

Result<Workload> read_swf(std::string_view text) { return read(text, false); }
Result<Workload> read_swf_gpu(std::string_view text) { return read(text, true); }

}  // namespace berth::workload
