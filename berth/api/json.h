// The JSON of every message (messages.h), made from the one list of fields of each struct.
//
// Ids are numbers; times are whole seconds since 1970, durations whole seconds (rounded down);
// memory is in bytes; what is absent is left out, and null is read as absent; enums are their
// lower-case names, reasons Slurm's; a list of pairs is a list of lists of two. A byte that is not
// UTF-8 is the escape \udc80 … \udcff (see json_value.h). Reading is strict: a field that does not
// exist, a wrong type, a number out of range is an error that names its path; a field left out
// keeps its default.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/json_value.h"
#include "berth/api/json_writer.h"
#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::api {

// Which fields of a row are wanted.
class FieldChoice {
public:
    FieldChoice() = default;  // All.
    bool all() const { return wanted_.empty(); }
    bool wants(std::size_t index) const { return wanted_.empty() || wanted_[index]; }
    // Of that field's own fields.
    const FieldChoice& within(std::size_t index) const;
    // "id", "name", "owner.user" …; refuses what T has not.
    template <class T>
    static Result<FieldChoice> of(const std::vector<std::string>& names);

private:
    struct Known;
    static Result<FieldChoice> choose(const std::vector<Known>& known,
                                      const std::vector<std::string>& names);
    std::vector<bool> wanted_;  // By the place in the struct; empty: all.
    std::map<std::size_t, FieldChoice> within_;
};

template <class T>
void write_json(JsonWriter& writer, const T& message, const FieldChoice& choice = {});
template <class T>
std::string to_json(const T& message);

// The server refuses what it does not know; a client passes over what a newer server tells it.
enum class UnknownFields : std::uint8_t { refused, passed_over };

template <class T>
Result<T> from_json(JsonValue&& value, UnknownFields unknown = UnknownFields::refused);
template <class T>
Result<T> from_json(std::string_view text, UnknownFields unknown = UnknownFields::refused,
                    const JsonLimits& limits = {});

}  // namespace berth::api

// Every message there is: all the templates above exist for these, and for no other type.
// clang-format off: a line each.
#define BERTH_API_MESSAGES(X) \
    X(JobRow) \
    X(NodeRow) \
    X(PartitionRow) \
    X(LicenseRow) \
    X(ReservationRow) \
    X(ReservationChange) \
    X(ReservationCall) \
    X(ReservationReply) \
    X(AssociationRow) \
    X(QosRow) \
    X(AccountingEdits) \
    X(AccountingRow) \
    X(StepRow) \
    X(SubmitRequest) \
    X(SubmitReply) \
    X(StepCall) \
    X(StepReply) \
    X(CancelRequest) \
    X(HoldRequest) \
    X(RequeueRequest) \
    X(JobPatch) \
    X(NodePatch) \
    X(Accepted) \
    X(ScriptReply) \
    X(StateHashReply) \
    X(Health) \
    X(Ping) \
    X(ConfigRow) \
    X(Problem) \
    X(Explanation) \
    X(CompleteRequest) \
    X(PriorityRow) \
    X(ShareRow) \
    X(UsagePatch) \
    X(DiagnosticsRow) \
    X(JoinTokenCall) \
    X(JoinTokenReply) \
    X(JoinCall) \
    X(JoinReply) \
    X(TokenCall) \
    X(TokenReply) \
    X(NotifyRequest) \
    X(TopRequest) \
    X(AliveReply) \
    X(PartitionCall) \
    X(PartitionChange) \
    X(AttachCall) \
    X(AttachReply) \
    X(NodeCall)
// clang-format on

namespace berth::api {
#define BERTH_API_DECLARE(T)                                                                 \
    extern template Result<FieldChoice> FieldChoice::of<T>(const std::vector<std::string>&); \
    extern template void write_json<T>(JsonWriter&, const T&, const FieldChoice&);           \
    extern template std::string to_json<T>(const T&);                                        \
    extern template Result<T> from_json<T>(JsonValue&&, UnknownFields);                      \
    extern template Result<T> from_json<T>(std::string_view, UnknownFields, const JsonLimits&);
BERTH_API_MESSAGES(BERTH_API_DECLARE)
#undef BERTH_API_DECLARE
}  // namespace berth::api
