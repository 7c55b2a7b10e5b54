#include "berth/slurm/admin/scontrol_requeue.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

// "hold special incomplete: words"
std::string requeue_text(std::vector<std::string> words) {
    const RequeueCall call = parse_requeue(std::move(words));
    std::string text;
    if (call.request.hold) text += "hold ";
    if (call.request.special_exit) text += "special ";
    if (call.request.incomplete) text += "incomplete ";
    for (const std::string& word : call.words) text += "[" + word + "]";
    return text;
}

TEST(ScontrolRequeue, TakesTheOptionsBeforeTheJobs) {
    EXPECT_EQ(requeue_text({"requeue", "12"}), "[requeue][12]");
    EXPECT_EQ(requeue_text({"requeue"}), "[requeue]");
    EXPECT_EQ(requeue_text({"requeue", "Incomplete", "12,13"}), "incomplete [requeue][12,13]");
    EXPECT_EQ(requeue_text({"RequeueHold", "12"}), "hold [RequeueHold][12]");
    EXPECT_EQ(requeue_text({"requeuehold", "State=SpecialExit", "12"}),
              "hold special [requeuehold][12]");
    EXPECT_EQ(requeue_text({"requeuehold", "incomplete", "state=specialexit", "12"}),
              "hold special incomplete [requeuehold][12]");
}

TEST(ScontrolRequeue, TakesOtherWordsForJobs) {
    EXPECT_EQ(requeue_text({"requeue", "State=SpecialExit", "12"}),
              "[requeue][State=SpecialExit][12]");
    EXPECT_EQ(requeue_text({"requeuehold", "State=Foo", "12"}),
              "hold [requeuehold][State=Foo][12]");
    EXPECT_EQ(requeue_text({"requeue", "12", "Incomplete"}), "[requeue][12][Incomplete]");
}

}  // namespace
}  // namespace berth::slurm
