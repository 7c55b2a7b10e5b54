#include "berth/trust/accept_trouble.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <vector>

namespace berth {
namespace {

using namespace std::chrono_literals;

class Lines : public LogSink {
public:
    void write(LogLevel level, std::string_view component, std::string_view text) override {
        all.push_back(std::string(to_string(level)) + " " + std::string(component) + ": " +
                      std::string(text));
    }
    std::vector<std::string> all;
};

TEST(AcceptTrouble, NamesTheLimitOnceAMinute) {
    Lines log;
    AcceptTrouble trouble(log, "wire", "agents cannot connect");
    const auto start = AcceptTrouble::Clock::now();
    for (const auto after : {0s, 1s, 59s, 60s, 61s}) trouble.tell(EMFILE, start + after);
    rlimit files{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
    const std::string line =
        "error wire: agents cannot connect: Too many open files (this process may open " +
        std::to_string(files.rlim_cur) + ": raise LimitNOFILE= of its unit, or ulimit -n)";
    EXPECT_EQ(log.all, (std::vector{line, line}));
}

TEST(AcceptTrouble, SaysWhatElseIsWrong) {
    Lines log;
    AcceptTrouble(log, "server", "commands cannot connect").tell(ENFILE);
    AcceptTrouble(log, "server", "commands cannot connect").tell(EPERM);
    EXPECT_EQ(log.all,
              (std::vector<std::string>{
                  "error server: commands cannot connect: Too many open files in system (of the "
                  "whole machine: raise fs.file-max by sysctl)",
                  "error server: commands cannot connect: Operation not permitted"}));
}

}  // namespace
}  // namespace berth
