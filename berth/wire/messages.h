// Between the model's orders and reports and what crosses the link. For the translation units of
// this module: protobuf's headers are heavy.
#pragma once

#include "berth/base/result.h"
#include "berth/model/order.h"
#include "berth/model/report.h"
#include "berth/wire/berth.pb.h"

namespace berth {

inline constexpr std::uint32_t kLinkProtocol = 1;

// Of one message: a script of 4 MiB and an environment of 1 MiB pass.
inline constexpr int kMessageBytesMax = 8 << 20;

wire::FromAgent to_wire(const Report& report);
wire::FromController to_wire(const Order& order);

// Refuse what no agent and no controller of ours would send.
Result<Report> from_wire(const wire::FromAgent& message);
Result<Order> from_wire(const wire::FromController& message);

// The number of the field that says what a message is about, also of one that a newer program has
// sent and this one does not know; 0: nothing does.
std::uint32_t kind_of(const wire::FromAgent& message);
std::uint32_t kind_of(const wire::FromController& message);

// The answer to an order that cannot be read.
wire::FromAgent refusal_of(const wire::FromController& order, const std::string& why);
std::string words_of(const wire::OrderRefused& refused);  // For a log: "of kind 17: …"

}  // namespace berth
