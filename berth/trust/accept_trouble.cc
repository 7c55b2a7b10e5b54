#include "berth/trust/accept_trouble.h"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace berth {
namespace {

constexpr std::chrono::minutes kTellAgain{1};

// The limit behind the error, if one can be raised.
std::string remedy_for(int number) {
    rlimit files{};
    if (number == EMFILE && ::getrlimit(RLIMIT_NOFILE, &files) == 0) {
        return " (this process may open " + std::to_string(files.rlim_cur) +
               ": raise LimitNOFILE= of its unit, or ulimit -n)";
    }
    if (number == ENFILE) return " (of the whole machine: raise fs.file-max by sysctl)";
    if (number == ENOMEM || number == ENOBUFS)
        return " (the machine or the cgroup of its unit, MemoryMax=, has no memory left)";
    return "";
}

}  // namespace

AcceptTrouble::AcceptTrouble(LogSink& log, std::string component, std::string what)
    : log_(log), component_(std::move(component)), what_(std::move(what)) {}

void AcceptTrouble::tell(int number, Clock::time_point now) {
    if (told_ && now - *told_ < kTellAgain) return;
    told_ = now;
    log_.write(LogLevel::error, component_,
               what_ + ": " + std::strerror(number) + remedy_for(number));
}

}  // namespace berth
