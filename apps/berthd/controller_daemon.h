// ControllerDaemon: the controller's loop with its real store, link, API and clock.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "apps/berthd/controller_options.h"
#include "apps/berthd/listening.h"
#include "berth/base/log.h"
#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"

namespace berth {

class ControllerDaemon {
public:
    using ReadConfig = std::function<Result<ClusterSpec>()>;

    // Recovers, becomes leader and listens; on return it serves requests. REQUIRES: the caller
    // holds the state directory's lock (DirectoryLock).
    static Result<std::unique_ptr<ControllerDaemon>> start(
        const ControllerOptions& options, const std::optional<Listening>& listening,
        ClusterSpec spec, ReadConfig read_again, LogSink& log);
    ~ControllerDaemon();

    // Runs the controller on the calling thread until stop(). An error means that the store has
    // failed: the process must end at once and send nothing more.
    Status run();
    void stop();  // From any thread: ends run() after the present turn.
    // May be called from any thread. Acts like an administrator's `scontrol reconfigure`; errors
    // are logged.
    void reconfigure();

private:
    struct Parts;
    explicit ControllerDaemon(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace berth
