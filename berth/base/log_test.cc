#include "berth/base/log.h"

#include <gtest/gtest.h>

#include <string>

namespace berth {
namespace {

class Recorder : public LogSink {
public:
    void write(LogLevel level, std::string_view component, std::string_view text) override {
        lines += std::string(to_string(level)) + ' ' + std::string(component) + ": " +
                 std::string(text) + '\n';
    }
    std::string lines;
};

TEST(Log, GoesWhereItsSinkPutsIt) {
    Recorder recorder;
    LogSink& log = recorder;
    log.write(LogLevel::warning, "control", "node gpu1 is silent");
    EXPECT_EQ(recorder.lines, "warning control: node gpu1 is silent\n");
}

}  // namespace
}  // namespace berth
