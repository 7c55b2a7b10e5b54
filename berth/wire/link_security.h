// Mutual TLS 1.3 as gRPC takes it, and who it says is at the other end. For the two ends of the
// link, in their sources alone.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <string>

#include "berth/base/result.h"
#include "berth/wire/link_address.h"

namespace berth {

std::shared_ptr<grpc::ServerCredentials> server_credentials(const LinkCertificates& own);

// A channel of its own, with no connection or memory of failures in common with another. It takes
// the controller alone for its peer.
std::shared_ptr<grpc::Channel> secure_channel(const TcpAddress& to, const LinkCertificates& own,
                                              grpc::ChannelArguments arguments);

// The peer's certificate, as PEM; empty where it has none.
std::string certificate_of(const grpc::CallbackServerContext& call);

// The node that the peer's certificate names. nullopt: it came over a Unix socket.
Result<std::optional<std::string>> certified_name(const grpc::CallbackServerContext& call);

}  // namespace berth
