#include "berth/model/queue_options.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

struct OptionRow {
    const char *option, *value, *again;
};

TEST(QueueOptions, AreReadAndWritten) {
    for (const auto& [option, value, again] : {
             OptionRow{"nominal", "cpu=64,mem=512G,gres/gpu:a100=8",
                       "cpu=64,mem=512G,gres/gpu:a100=8"},
             OptionRow{"Guarantee", "cpu=2", "cpu=2"},
             OptionRow{"limit", "cpu=2", "cpu=2"},
             OptionRow{"lend_max", "cpu=0", "cpu=0"},
             OptionRow{"borrow_max", "license/matlab=3", "license/matlab=3"},
             OptionRow{"max_borrow_ratio", "0.250", "0.25"},
             OptionRow{"max_borrow_ratio", "2", "2"},
             OptionRow{"allow_preemption", "No", "no"},
             OptionRow{"allow_preempt_from", "Vision, speech", "vision,speech"},
             OptionRow{"lenders", "Speech,vision ", "speech,vision"},
             OptionRow{"grace_period", "45", "45"},
             OptionRow{"max_jobs", "0", "0"},
             OptionRow{"max_gpus_per_job", "16", "16"},
             OptionRow{"priority_range", "10, 100", "10,100"},
             OptionRow{"priority_range", "-5,-5", "-5,-5"},
         }) {
        QueueSpec queue;
        ASSERT_TRUE(set_queue_option(queue, option, value).ok()) << option;
        const std::vector<QueueOption> options = options_of(queue);
        ASSERT_EQ(options.size(), 1U) << option;
        EXPECT_EQ(options.front().value, again);
        QueueSpec copy;
        ASSERT_TRUE(set_queue_option(copy, options.front().name, again).ok());
        EXPECT_EQ(copy, queue);
        ASSERT_TRUE(set_queue_option(copy, option, "").ok());
        EXPECT_EQ(copy, QueueSpec{}) << option << " is taken away";
    }
}

TEST(QueueOptions, SayWhatIsWrong) {
    for (const auto& [option, value, says] : {
             OptionRow{"weight", "1", "there is no option weight of a queue; there are nominal,"},
             OptionRow{"nominal", "8",
                       "nominal: 8 should be a list like 'cpu=64,mem=512G,gres/gpu=8'"},
             OptionRow{"limit", "cpu=-1", "limit: cpu=-1 should have no negative numbers"},
             OptionRow{"limit", "billing=1", "limit: billing=1 names billing, which has no quota"},
             OptionRow{"max_borrow_ratio", "-1", "max_borrow_ratio: -1 should be a fraction"},
             OptionRow{"allow_preemption", "maybe", "allow_preemption: maybe should be yes or no"},
             OptionRow{"grace_period", "1:00",
                       "grace_period: 1:00 should be a whole number of seconds"},
             OptionRow{"grace_period", "-1",
                       "grace_period: -1 should be a whole number of seconds"},
             OptionRow{"max_jobs", "-1", "max_jobs: -1 should be a whole number, like 16"},
             OptionRow{"max_gpus_per_job", "4294967296",
                       "max_gpus_per_job: 4294967296 should be a whole number, like 16"},
             OptionRow{"priority_range", "100,10",
                       "priority_range: 100,10 should be the least and the most that it admits"},
             OptionRow{"priority_range", "10", "priority_range: 10 should be the least and"},
             OptionRow{"priority_range", "1,2,3", "priority_range: 1,2,3 should be the least and"},
         }) {
        QueueSpec queue;
        const Status set = set_queue_option(queue, option, value);
        ASSERT_FALSE(set.ok()) << option;
        EXPECT_TRUE(set.error().message.starts_with(says)) << set.error().message;
    }
}

}  // namespace
}  // namespace berth
