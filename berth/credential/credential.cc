#include "berth/credential/credential.h"

#include <variant>

#include "berth/base/codec.h"
#include "berth/trust/secrets.h"

namespace berth {
namespace {

// Begins everything that a credential signs; no other text that we sign begins like this.
constexpr std::string_view kPurpose = "berth launch credential 1\n";

// The kind of order, so that no credential can pass for another kind.
constexpr std::string_view kind_of(const LaunchAttempt&) { return "attempt"; }
constexpr std::string_view kind_of(const LaunchStep&) { return "step"; }
constexpr std::string_view kind_of(const RunNodeProgram&) { return "program"; }
constexpr std::string_view kind_of(const NodeSetup&) { return "setup"; }

template <class Body>
struct Statement {
    std::string kind;
    Warrant warrant;
    Body body;
    BERTH_FIELDS(Statement, kind, warrant, body)
};

struct Envelope {
    std::string key, bytes, signature;
    BERTH_FIELDS(Envelope, key, bytes, signature)
};

std::string text_to_sign(const std::string& bytes) { return std::string(kPurpose) + bytes; }

template <class Body>
std::string seal(Warrant warrant, Body body, const SigningKeys& keys, const std::string& key) {
    body.credential.clear();
    const std::string kind(kind_of(body));
    Envelope envelope;
    envelope.key = key;
    envelope.bytes = encode(Statement<Body>{kind, std::move(warrant), std::move(body)});
    envelope.signature = keys.sign(text_to_sign(envelope.bytes), key);
    return encode(envelope);
}

Error denied(const std::string& why) { return {ErrorCode::permission_denied, why}; }

// For the log: anyone may have written the text.
std::string printable_key(const std::string& key) {
    constexpr std::size_t kShown = 16;
    std::string shown = key.substr(0, kShown);
    for (char& one : shown) {
        const bool hex = (one >= '0' && one <= '9') || (one >= 'a' && one <= 'f');
        if (!hex) one = '?';
    }
    return key.size() > kShown ? shown + "..." : shown;
}

template <class Body>
Result<Signed<Body>> open(const std::string& bytes) {
    Result<Statement<Body>> statement = decode<Statement<Body>>(bytes, kMessageRoom);
    if (!statement.ok() || statement->kind != kind_of(statement->body))
        return denied("the order's credential is for another kind of order");
    return Signed<Body>{std::move(statement->warrant), std::move(statement->body)};
}

Result<Envelope> read_envelope(const std::string& credential) {
    if (credential.empty()) return denied("the order has no credential of the controller's");
    Result<Envelope> envelope = decode<Envelope>(credential, kMessageRoom);
    if (!envelope.ok()) return denied("the order's credential is no credential");
    return envelope;
}

template <class Body>
Result<Signed<Body>> unseal(const std::string& credential, const VerifyingKeys& keys) {
    BERTH_TRY(const Envelope envelope, read_envelope(credential));
    if (!keys.knows(envelope.key)) {
        return denied("the order's credential is by key '" + printable_key(envelope.key) +
                      "', which is not the controller's as it is known here");
    }
    if (!keys.verify(envelope.key, text_to_sign(envelope.bytes), envelope.signature))
        return denied("the order's credential has a wrong signature");
    return open<Body>(envelope.bytes);
}

// Must never change: launchers of other versions compute the same hash.
struct DigestedPayload {
    std::string script;
    std::vector<std::string> environment;
    BERTH_FIELDS(DigestedPayload, script, environment)
};

}  // namespace

std::string digest_of(const JobPayload& payload) {
    const DigestedPayload digested{payload.script, payload.environment};
    return digested == DigestedPayload{} ? "" : sha256_hex(encode(digested));
}

void sign_order(Order& order, const std::string& node, const SigningKeys& keys, Time now,
                const std::vector<std::string>& known) {
    const std::string& key = keys.id_for(known);
    Warrant warrant{.node = node,
                    .boot_id = order.boot_id,
                    .epoch = order.epoch,
                    .issued = now,
                    .expires = now + kCredentialLife};
    if (auto* const attempt = std::get_if<LaunchAttempt>(&order.body)) {
        warrant.payload = digest_of(attempt->payload);
        LaunchAttempt bare = *attempt;
        bare.payload = {};
        attempt->credential = seal(std::move(warrant), std::move(bare), keys, key);
    } else if (auto* const step = std::get_if<LaunchStep>(&order.body)) {
        step->credential = seal(std::move(warrant), *step, keys, key);
    } else if (auto* const program = std::get_if<RunNodeProgram>(&order.body)) {
        program->credential = seal(std::move(warrant), *program, keys, key);
    } else if (auto* const welcome = std::get_if<Welcome>(&order.body);
               welcome != nullptr && welcome->setup) {
        welcome->setup->launch_keys = keys.public_keys();
        welcome->setup->credential = seal(std::move(warrant), *welcome->setup, keys, key);
    }
}

Result<Signed<LaunchAttempt>> read_attempt_credential(const std::string& credential,
                                                      const VerifyingKeys& keys) {
    return unseal<LaunchAttempt>(credential, keys);
}
Result<Signed<LaunchAttempt>> read_admitted_attempt(const std::string& credential) {
    BERTH_TRY(const Envelope envelope, read_envelope(credential));
    return open<LaunchAttempt>(envelope.bytes);
}
Result<Signed<LaunchStep>> read_step_credential(const std::string& credential,
                                                const VerifyingKeys& keys) {
    return unseal<LaunchStep>(credential, keys);
}
Result<Signed<RunNodeProgram>> read_program_credential(const std::string& credential,
                                                       const VerifyingKeys& keys) {
    return unseal<RunNodeProgram>(credential, keys);
}
Result<Signed<NodeSetup>> read_setup_credential(const std::string& credential,
                                                const VerifyingKeys& keys) {
    return unseal<NodeSetup>(credential, keys);
}

}  // namespace berth
