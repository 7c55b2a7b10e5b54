#include "berth/slurm/text/when.h"

#include <gtest/gtest.h>

#include <ctime>

#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

Time at(const char* text) {
    std::tm civil{};
    strptime(text, "%Y-%m-%dT%H:%M:%S", &civil);
    civil.tm_isdst = -1;
    return Time(std::chrono::seconds(std::mktime(&civil)));
}

TEST(When, ReadsWhatSlurmReads) {
    const Time now = at("2026-08-20T10:00:00");
    struct Case {
        const char* text;
        const char* means;
    };
    const Case cases[] = {
        {"now", "2026-08-20T10:00:00"},
        {"now+2hours", "2026-08-20T12:00:00"},
        {"now+90", "2026-08-20T10:01:30"},
        {"now-1day", "2026-08-19T10:00:00"},
        {"now+3weeks", "2026-09-10T10:00:00"},
        {"16:30", "2026-08-20T16:30:00"},
        {"09:00", "2026-08-21T09:00:00"},
        {"4:30PM", "2026-08-20T16:30:00"},
        {"noon", "2026-08-20T12:00:00"},
        {"tomorrow", "2026-08-21T00:00:00"},
        {"2026-12-24", "2026-12-24T00:00:00"},
        {"2026-12-24T18:00", "2026-12-24T18:00:00"},
        {"2026-12-24T18:00:05", "2026-12-24T18:00:05"},
        {"1224", "2026-12-24T00:00:00"},
        {"12/24/26", "2026-12-24T00:00:00"},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.text);
        const auto when = parse_when(c.text, now, false);
        ASSERT_TRUE(when.ok());
        EXPECT_EQ(local_time(when.value(), ""), c.means);
    }
    for (const char* wrong : {"", "soon", "now+", "now+5parsecs", "25:00", "2026-13-01",
                              "2026-12-24T", "1:2:3:4", "12/"}) {
        EXPECT_FALSE(parse_when(wrong, now).ok()) << wrong;
    }
}

}  // namespace
}  // namespace berth::slurm
