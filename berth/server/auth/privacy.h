// Privacy: what PrivateData hides from users who are not operators.
#pragma once

#include <string>

#include "berth/model/principal.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

class Privacy {
public:
    Privacy(const ClusterSpec& spec, const Principal& principal)
        : spec_(spec), principal_(principal) {}

    // False for operators and administrators, whatever the kind.
    bool hides(PrivateKind kind) const;

    // With PrivateData=reservations users see those that they may use.
    bool shows(const Reservation& reservation) const;

private:
    const ClusterSpec& spec_;
    const Principal& principal_;
};

}  // namespace berth
