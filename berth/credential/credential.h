// Launch credentials: the controller's signed word for what a node is to run, so that a launcher
// which is root need not believe the process that speaks to the network.
//
// What is signed are bytes, which travel in the order beside its fields, and the launcher obeys
// what it reads out of them: a newer controller's fields then do no harm, and an older one's lack
// none. The payload is signed by its hash, since it is large, and is left out where it is not
// needed.
#pragma once

#include <string>

#include "berth/base/fields.h"
#include "berth/base/result.h"
#include "berth/base/time.h"
#include "berth/model/order.h"
#include "berth/trust/signing_keys.h"

namespace berth {

// Who may obey, and until when it may be begun.
struct Warrant {
    std::string node;     // By name.
    std::string boot_id;  // Of that node.
    Epoch epoch{0};       // Of the controller.
    Time issued{}, expires{};
    std::string payload;  // See digest_of(): of the script and the environment, if there are any.
    BERTH_FIELDS(Warrant, node, boot_id, epoch, issued, expires, payload)
};

inline constexpr Duration kCredentialLife = std::chrono::minutes(10);
// What the clocks of controller and node may differ by.
inline constexpr Duration kClockSkewMax = std::chrono::minutes(5);

// Puts a credential into an order of the kinds that begin something, or that say how the node is,
// and there the keys too; leaves others as they are. By one of the keys that the node knows, where
// it has said which.
void sign_order(Order& order, const std::string& node, const SigningKeys& keys, Time now,
                const std::vector<std::string>& known = {});

template <class Body>
struct Signed {
    Warrant warrant;
    Body body;  // Without its credential; a LaunchAttempt without its payload too.
};

// What a known key has signed. permission_denied: it is no credential of this kind's, or no key's.
Result<Signed<LaunchAttempt>> read_attempt_credential(const std::string& credential,
                                                      const VerifyingKeys& keys);
// One whose signature was found to be right before, by a key that may be known no more.
Result<Signed<LaunchAttempt>> read_admitted_attempt(const std::string& credential);
Result<Signed<LaunchStep>> read_step_credential(const std::string& credential,
                                                const VerifyingKeys& keys);
Result<Signed<RunNodeProgram>> read_program_credential(const std::string& credential,
                                                       const VerifyingKeys& keys);

Result<Signed<NodeSetup>> read_setup_credential(const std::string& credential,
                                                const VerifyingKeys& keys);

// The SHA-256 of script and environment in one form for all versions, whatever else a payload comes
// to have: that is then signed apart.
std::string digest_of(const JobPayload& payload);

}  // namespace berth
