// Mutual TLS 1.3 for gRPC, and the identity of the peer. For the sources of the two link ends only.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <string>

#include "berth/base/result.h"
#include "berth/wire/link_address.h"

namespace berth {

std::shared_ptr<grpc::ServerCredentials> server_credentials(const LinkCertificates& own);

// A channel that shares no connection and no failure history with any other. Accepts only the
// controller as its peer.
std::shared_ptr<grpc::Channel> secure_channel(const TcpAddress& to, const LinkCertificates& own,
                                              grpc::ChannelArguments arguments);

// The peer's certificate, as PEM; empty if it has none.
std::string certificate_of(const grpc::CallbackServerContext& call);

// The node that the peer's certificate names. nullopt: the peer is connected over a Unix socket.
Result<std::optional<std::string>> certified_name(const grpc::CallbackServerContext& call);

}  // namespace berth
