// The file meter: reads GPU readings from a file that another program writes.
#include "berth/host/hardware/gpu_meter.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "berth/base/text.h"
#include "berth/model/node.h"

namespace berth {
namespace {

constexpr auto kOldest = std::chrono::seconds(60);
constexpr std::int64_t kReadMax = 1'000'000;
constexpr std::size_t kFaultTextMax = 200;

Error bad_line(std::size_t line, const std::string& what) {
    return {ErrorCode::invalid_argument, "line " + std::to_string(line) + ": " + what};
}

Result<std::int32_t> number(std::string_view word) {
    if (word == "-") return kNotRead;
    BERTH_TRY(const std::int64_t value, parse_int64(word));
    if (value < 0 || value > kReadMax) {
        return Error{ErrorCode::invalid_argument, "\"" + std::string(word) + "\" is out of range"};
    }
    return static_cast<std::int32_t>(value);
}

Result<std::int32_t> gpu_of(const std::string& word) {
    BERTH_TRY(const std::int32_t gpu, number(word));
    if (gpu >= 0 && gpu < static_cast<std::int32_t>(kDevicesPerNodeMax)) return gpu;
    return Error{ErrorCode::invalid_argument, "no node has a GPU " + word};
}

Result<GpuReading> reading_of(const std::vector<std::string>& words) {
    if (words.size() != 5) {
        return Error{ErrorCode::invalid_argument,
                     "should be GPU UTILISATION MEMORY TEMPERATURE POWER, five numbers"};
    }
    std::int32_t values[5] = {};
    BERTH_TRY(values[0], gpu_of(words[0]));
    for (std::size_t i = 1; i < 5; ++i) {
        BERTH_TRY(values[i], number(words[i]));
    }
    return GpuReading{values[0], values[1], values[2], values[3], values[4]};
}

// "3 fault xid 79", "3 fault lost", "3 fault any other text"
Result<GpuFault> fault_of(const std::vector<std::string>& words) {
    GpuFault fault{.kind = GpuFaultKind::told};
    BERTH_TRY(fault.gpu, gpu_of(words[0]));
    const std::vector<std::string> rest(words.begin() + 2, words.end());
    if (rest.empty()) {
        return Error{ErrorCode::invalid_argument, "should say which fault: GPU fault WHAT"};
    }
    if (rest.size() == 2 && rest[0] == "xid") {
        fault.kind = GpuFaultKind::xid;
        BERTH_TRY(fault.code, number(rest[1]));
    } else if (rest.size() == 1 && rest[0] == "lost") {
        fault.kind = GpuFaultKind::lost;
    } else {
        fault.text = join(rest, " ").substr(0, kFaultTextMax);
    }
    return fault;
}

class FileMeter : public GpuMeter {
public:
    explicit FileMeter(std::string path) : path_(std::move(path)) {}

    Result<std::vector<GpuReading>> read() override {
        std::error_code error;
        const auto written = std::filesystem::last_write_time(path_, error);
        std::ifstream file(path_);
        if (error || !file) {
            return Error{ErrorCode::not_found, path_ + " cannot be read"};
        }
        if (std::filesystem::file_time_type::clock::now() - written > kOldest) {
            return Error{ErrorCode::unavailable, path_ + " was not written for a minute"};
        }
        std::ostringstream text;
        text << file.rdbuf();
        Result<MeterText> parsed = parse_readings(text.view());
        if (!parsed.ok()) return Error{parsed.error().code, path_ + ", " + parsed.error().message};
        present_ = std::move(parsed->faults);
        return std::move(parsed->readings);
    }

    std::vector<GpuFault> faults() override {
        std::vector<GpuFault> fresh;
        for (const GpuFault& fault : present_) {
            if (std::ranges::find(told_, fault) == told_.end()) fresh.push_back(fault);
        }
        told_ = present_;
        return fresh;
    }

private:
    std::string path_;
    std::vector<GpuFault> present_, told_;
};

}  // namespace

Result<MeterText> parse_readings(std::string_view text) {
    MeterText all;
    std::size_t line = 0;
    std::istringstream lines{std::string(text)};
    for (std::string one; std::getline(lines, one);) {
        ++line;
        std::istringstream fields(one.substr(0, one.find('#')));
        std::vector<std::string> words;
        for (std::string word; fields >> word;) words.push_back(word);
        if (words.empty()) continue;
        if (words.size() > 1 && words[1] == "fault") {
            Result<GpuFault> fault = fault_of(words);
            if (!fault.ok()) return bad_line(line, fault.error().message);
            all.faults.push_back(*std::move(fault));
            continue;
        }
        Result<GpuReading> reading = reading_of(words);
        if (!reading.ok()) return bad_line(line, reading.error().message);
        all.readings.push_back(*reading);
    }
    return all;
}

std::unique_ptr<GpuMeter> file_meter(std::string path) {
    return std::make_unique<FileMeter>(std::move(path));
}

}  // namespace berth
