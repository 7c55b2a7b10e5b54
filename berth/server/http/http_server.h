// HttpServer: the API on a Unix socket and, if configured, over TLS on TCP, where a token
// identifies the user of each request. It has two threads for network I/O and two for slow reads,
// one for those that take long; none of them is the controller's.
#pragma once

#include <memory>

#include "berth/base/log.h"
#include "berth/control/core/ports.h"
#include "berth/server/http/http_server_options.h"
#include "berth/server/service/archive.h"
#include "berth/server/service/service.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

// Where commands go: the daemon's inbox.
class CommandSink {
public:
    virtual ~CommandSink() = default;
    // From any thread. False: the controller takes no more now.
    virtual bool put(ClientInput input) = 0;
};

class HttpServer final : public Clients {
public:
    // Listens when it returns. REQUIRES: all arguments outlive the server.
    static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options, CommandSink& sink,
                                                     const ReadModel& read_model, Archive& archive,
                                                     LogSink& log);
    ~HttpServer() override;  // Stops.

    // For other listeners of the same service.
    const Service& service() const;

    // From any thread.
    void answer(OutgoingAnswer answer) override;

    // Closes every connection and removes the socket. Later answers are dropped.
    void stop();

private:
    struct Works;
    explicit HttpServer(std::unique_ptr<Works> works);
    std::unique_ptr<Works> works_;
};

}  // namespace berth
