// HttpServer: the API on a Unix socket, and over TLS on TCP where that is asked for: there each
// request says by a token whose it is. Two threads of its own carry the bytes, two more wait for
// the disk; none of them is the controller's.
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
    // Listens when it returns. What it is given must outlive it.
    static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options, CommandSink& sink,
                                                     const ReadModel& read_model, Archive& archive,
                                                     LogSink& log);
    ~HttpServer() override;  // Stops.

    // What it serves, for other ways to it.
    const Service& service() const;

    // From any thread.
    void answer(OutgoingAnswer answer) override;

    // Closes every connection and takes the socket away. Answers that come later go nowhere.
    void stop();

private:
    struct Works;
    explicit HttpServer(std::unique_ptr<Works> works);
    std::unique_ptr<Works> works_;
};

}  // namespace berth
