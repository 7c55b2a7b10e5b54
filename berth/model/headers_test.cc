// Every header of the model stands by itself and every reason and refusal has its words.
#include <gtest/gtest.h>

#include "berth/model/explanation.h"
#include "berth/model/principal.h"
#include "berth/model/reason.h"

namespace berth {
namespace {

TEST(Reason, EveryReasonAndRefusalHasItsWords) {
    for (int i = 0; i <= static_cast<int>(PendingReason::qos_max_wall); ++i) {
        EXPECT_FALSE(slurm_name(static_cast<PendingReason>(i)).empty());
    }
    for (int i = 0; i <= static_cast<int>(Refusal::already_disabled); ++i) {
        EXPECT_FALSE(code(static_cast<Refusal>(i)).empty());
    }
}

}  // namespace
}  // namespace berth
