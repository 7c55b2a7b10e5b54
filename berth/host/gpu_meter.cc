// The file that another program writes.
#include "berth/host/gpu_meter.h"

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

Result<GpuReading> reading_of(const std::vector<std::string>& words) {
    if (words.size() != 5) {
        return Error{ErrorCode::invalid_argument,
                     "should be GPU UTILISATION MEMORY TEMPERATURE POWER, five numbers"};
    }
    std::int32_t values[5] = {};
    for (std::size_t i = 0; i < 5; ++i) {
        BERTH_TRY(values[i], number(words[i]));
    }
    if (values[0] < 0 || values[0] >= static_cast<std::int32_t>(kDevicesPerNodeMax)) {
        return Error{ErrorCode::invalid_argument, "no node has a GPU " + words[0]};
    }
    return GpuReading{values[0], values[1], values[2], values[3], values[4]};
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
        Result<std::vector<GpuReading>> readings = parse_readings(text.view());
        if (readings.ok()) return readings;
        return Error{readings.error().code, path_ + ", " + readings.error().message};
    }

private:
    std::string path_;
};

}  // namespace

Result<std::vector<GpuReading>> parse_readings(std::string_view text) {
    std::vector<GpuReading> readings;
    std::size_t line = 0;
    std::istringstream lines{std::string(text)};
    for (std::string one; std::getline(lines, one);) {
        ++line;
        std::istringstream fields(one.substr(0, one.find('#')));
        std::vector<std::string> words;
        for (std::string word; fields >> word;) words.push_back(word);
        if (words.empty()) continue;
        Result<GpuReading> reading = reading_of(words);
        if (!reading.ok()) return bad_line(line, reading.error().message);
        readings.push_back(*reading);
    }
    return readings;
}

std::unique_ptr<GpuMeter> file_meter(std::string path) {
    return std::make_unique<FileMeter>(std::move(path));
}

}  // namespace berth
