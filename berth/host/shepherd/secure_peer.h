// SecurePeer: a step's connection to an srun on another host. A port of the shepherd's, so that the
// program for all other steps starts without OpenSSL: that alone would double its time to start.
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
    // As read(2) and write(2) of a non-blocking socket.
    virtual ssize_t read(char* to, std::size_t size) = 0;
    virtual ssize_t write(const char* from, std::size_t size) = 0;
    virtual bool has_more() const = 0;  // That poll(2) does not know of.
};

// Both ends have this secret, and prove it.
using SecureSocket = Result<std::unique_ptr<SecurePeer>> (*)(int socket, const std::string& secret);

}  // namespace berth
