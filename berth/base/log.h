// What may be logged, and where to. Pure code that has something to say takes a LogSink.
#pragma once

#include <string_view>

namespace berth {

enum class LogLevel { debug, info, warning, error };

constexpr std::string_view to_string(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return "debug";
        case LogLevel::info: return "info";
        case LogLevel::warning: return "warning";
        case LogLevel::error: return "error";
    }
    return "unknown";
}

class LogSink {
public:
    virtual ~LogSink() = default;
    // `component` is one word, such as "engine"; `text` is one line without its end.
    virtual void write(LogLevel level, std::string_view component, std::string_view text) = 0;
};

// For whoever does not want to hear it.
class SilentLog : public LogSink {
public:
    void write(LogLevel, std::string_view, std::string_view) override {}
};

}  // namespace berth
