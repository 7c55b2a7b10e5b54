// Launch credentials: the controller's signature on what a node is to run, so that a launcher
// running as root need not trust the agent, which talks to the network.
//
// The signature covers bytes that travel in the order beside its fields. The launcher carries out
// what it decodes from these bytes. So fields of a newer controller do no harm, and orders of an
// older one lack nothing. The payload is large: it is signed by its hash and left out where it is
// not needed.
#pragma once

#include <string>

#include "berth/base/fields.h"
#include "berth/base/result.h"
#include "berth/base/time.h"
#include "berth/model/order.h"
#include "berth/trust/signing_keys.h"

namespace berth {

// For which node, boot and time a credential is valid.
struct Warrant {
    std::string node;     // Its name.
    std::string boot_id;  // Of that node.
    Epoch epoch{0};       // Of the controller.
    Time issued{}, expires{};
    // digest_of() the script and the environment, if there are any.
    std::string payload;
    BERTH_FIELDS(Warrant, node, boot_id, epoch, issued, expires, payload)
};

inline constexpr Duration kCredentialLife = std::chrono::minutes(10);
// The largest accepted difference between the clocks of controller and node.
inline constexpr Duration kClockSkewMax = std::chrono::minutes(5);

// Adds a credential to an order that starts something or describes the node (the latter also gets
// the keys); leaves other orders alone. Signs with one of the `known` keys of the node, if it has
// listed any.
void sign_order(Order& order, const std::string& node, const SigningKeys& keys, Time now,
                const std::vector<std::string>& known = {});

template <class Body>
struct Signed {
    Warrant warrant;
    Body body;  // Without its credential; a LaunchAttempt also without its payload.
};

// Checks the signature against the trusted keys and decodes. permission_denied: not a credential of
// this kind, or not signed by one of the keys.
Result<Signed<LaunchAttempt>> read_attempt_credential(const std::string& credential,
                                                      const VerifyingKeys& keys);
// Decodes a credential whose signature was checked earlier; its key may have been revoked since.
Result<Signed<LaunchAttempt>> read_admitted_attempt(const std::string& credential);
Result<Signed<LaunchStep>> read_step_credential(const std::string& credential,
                                                const VerifyingKeys& keys);
Result<Signed<RunNodeProgram>> read_program_credential(const std::string& credential,
                                                       const VerifyingKeys& keys);

Result<Signed<NodeSetup>> read_setup_credential(const std::string& credential,
                                                const VerifyingKeys& keys);

// SHA-256 of script and environment in one form for all versions. Fields added to a payload later
// are signed apart.
std::string digest_of(const JobPayload& payload);

}  // namespace berth
