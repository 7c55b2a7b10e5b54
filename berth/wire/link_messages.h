// Converts between the model's orders and reports and the link's messages. For the translation
// units of this module only, since protobuf's headers are heavy.
#pragma once

#include "berth/base/result.h"
#include "berth/model/order.h"
#include "berth/model/report.h"
#include "berth/wire/berth.pb.h"

namespace berth {

inline constexpr std::uint32_t kLinkProtocol = 1;

// Of one message: enough for a script of 4 MiB and an environment of 1 MiB.
inline constexpr int kMessageBytesMax = 8 << 20;

wire::FromAgent to_wire(const Report& report);
wire::FromController to_wire(const Order& order);

// Reject messages that no agent or controller of ours would send.
Result<Report> from_wire(const wire::FromAgent& message);
Result<Order> from_wire(const wire::FromController& message);

// The field number of the message's kind, even a kind of a newer version that this program does not
// know; 0: none is set.
std::uint32_t kind_of(const wire::FromAgent& message);
std::uint32_t kind_of(const wire::FromController& message);

// The answer to an order that cannot be decoded.
wire::FromAgent refusal_of(const wire::FromController& order, const std::string& why);
std::string words_of(const wire::OrderRefused& refused);  // For a log: "of kind 17: …"

}  // namespace berth
