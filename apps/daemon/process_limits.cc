#include "apps/daemon/process_limits.h"

#include <sys/resource.h>

#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>

namespace berth {
namespace {

constexpr int kExitTry = 75;  // EX_TEMPFAIL of sysexits.h: a retry may succeed.
constexpr rlim_t kFilesLeast = 256;

const char* program_name = "berth";
std::terminate_handler otherwise = nullptr;

const char* remedy_for(int number) {
    switch (number) {
        case EMFILE: return "raise LimitNOFILE= of its unit, or ulimit -n";
        case ENFILE: return "raise fs.file-max by sysctl";
        case EAGAIN:
            return "no more threads or processes: raise TasksMax= of its unit, pids.max of its "
                   "cgroup, kernel.pid_max or ulimit -u";
        case ENOMEM: return "the machine or the cgroup of its unit (MemoryMax=) has no memory left";
        default: return nullptr;
    }
}

[[noreturn]] void say_and_end(std::string_view what, int number) {
    const char* const remedy = remedy_for(number);
    std::fprintf(stderr, "%s: error: %.*s: %s%s%s\n", program_name, static_cast<int>(what.size()),
                 what.data(), std::strerror(number), remedy == nullptr ? "" : ": ",
                 remedy == nullptr ? "" : remedy);
    std::_Exit(kExitTry);
}

// The errno of a limit that was reached; 0: the exception is about something else. Threads of the
// standard library throw its own exception, those of Asio throw Boost's, which is not related.
int limit_behind(const std::exception_ptr& thrown) {
    int number = 0;
    try {
        std::rethrow_exception(thrown);
    } catch (const std::system_error& error) {
        const std::error_category& category = error.code().category();
        if (category == std::generic_category() || category == std::system_category())
            number = error.code().value();
    } catch (const boost::system::system_error& error) {
        const boost::system::error_category& category = error.code().category();
        if (category == boost::system::generic_category() ||
            category == boost::system::system_category())
            number = error.code().value();
    } catch (const std::bad_alloc&) {
        number = ENOMEM;
    } catch (...) {  // NOLINT(bugprone-empty-catch): told of by what was there before us.
    }
    return remedy_for(number) != nullptr ? number : 0;
}

[[noreturn]] void explain_and_end() {
    if (const std::exception_ptr thrown = std::current_exception()) {
        if (const int number = limit_behind(thrown); number != 0)
            say_and_end("it cannot go on", number);
    }
    if (otherwise != nullptr) otherwise();
    std::abort();
}

}  // namespace

void explain_limits(const char* program) {
    program_name = program;
    otherwise = std::set_terminate(explain_and_end);
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_max >= kFilesLeast) return;
    std::fprintf(stderr, "%s: error: this process may open %ju files and needs %ju: %s\n", program,
                 static_cast<std::uintmax_t>(files.rlim_max),
                 static_cast<std::uintmax_t>(kFilesLeast), remedy_for(EMFILE));
    std::_Exit(kExitTry);
}

void end_for_want_of(std::string_view what, int number) { say_and_end(what, number); }

}  // namespace berth
