// ControllerDaemon: the controller's loop with its real store, link, API and clock around it.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "apps/berthd/listening.h"
#include "apps/berthd/options.h"
#include "berth/base/log.h"
#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"

namespace berth {

class ControllerDaemon {
public:
    using ReadConfig = std::function<Result<ClusterSpec>()>;

    // Recovers, takes office and listens: once this returns, it answers. The state directory must
    // be the caller's alone (DirectoryLock).
    static Result<std::unique_ptr<ControllerDaemon>> start(
        const ControllerOptions& options, const std::optional<Listening>& listening,
        ClusterSpec spec, ReadConfig read_again, LogSink& log);
    ~ControllerDaemon();

    // The calling thread becomes the controller's, until stop(). An error means that the store has
    // failed: the process must end at once, and say nothing more to anyone.
    Status run();
    void stop();  // From any thread: after the turn that is under way.
    // From any thread: as an administrator's `scontrol reconfigure`. What is wrong with it is
    // logged.
    void reconfigure();

private:
    struct Parts;
    explicit ControllerDaemon(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace berth
