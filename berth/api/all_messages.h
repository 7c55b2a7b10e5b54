// BERTH_API_MESSAGES: every message there is. What is made of messages as templates (json.h,
// field_choice.h) exists for these, and for no other type.
#pragma once

#include "berth/api/messages.h"

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
    X(ChangeReply) \
    X(TestReply) \
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
    X(QueueRow) \
    X(UsagePatch) \
    X(UsageReport) \
    X(NodeEventRow) \
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
    X(StepPatch) \
    X(AttachCall) \
    X(AttachReply) \
    X(NodeCall)
// clang-format on
