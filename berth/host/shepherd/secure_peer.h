// SecurePeer: a step's connection to an srun on another host. An interface of the shepherd, so that
// other steps start without OpenSSL, which would double their start time.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>

#include "berth/base/result.h"

namespace berth {

class SecurePeer {
public:
    virtual ~SecurePeer() = default;
    // Behave as read(2) and write(2) on a non-blocking socket.
    virtual ssize_t read(char* to, std::size_t size) = 0;
    virtual ssize_t write(const char* from, std::size_t size) = 0;
    virtual bool has_more() const = 0;  // Has buffered data that poll(2) does not see.
};

// Both ends prove that they know `secret`.
using SecureSocket = Result<std::unique_ptr<SecurePeer>> (*)(int socket, const std::string& secret);

}  // namespace berth
