// Revocations: nodes whose certificates are not believed any more, though they have not ended. A
// node that joins again has a new one, which is.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "berth/base/result.h"
#include "berth/base/time.h"

namespace berth {

// From any thread.
class Revocations {
public:
    Revocations() = default;  // None, and none is kept.
    // FOLDER/revoked, a line for each node; none where it is not there.
    static Result<Revocations> open(const std::string& folder);
    Revocations(Revocations&& other) noexcept;
    Revocations& operator=(Revocations&&) = delete;

    // All that were given to this node until now. On the disk when it returns.
    Status revoke(const std::string& node, Time now);
    bool is_revoked(const std::string& node, Time issued_at) const;
    // When a certificate that is given to it now has to begin to be believed: certificates know
    // whole seconds alone, and clocks may be set back.
    Time believed_from(const std::string& node, Time now) const;

private:
    std::string path_;
    mutable std::mutex mutex_;
    std::map<std::string, std::int64_t> until_;  // Seconds.
};

}  // namespace berth
