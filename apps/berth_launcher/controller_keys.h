// ControllerKeys: the public keys by which a launcher knows the controller. The administrator's
// files say so first; then the controller itself, by a key that is known, and what it has said last
// counts until those files say something else.
#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"

namespace berth {

class ControllerKeys {
public:
    // `files`: of the administrator's, those that are there. `learned`: of our own.
    ControllerKeys(std::vector<std::string> files, std::string learned)
        : files_(std::move(files)), learned_(std::move(learned)) {}

    // All as PEM. not_found: none is there yet.
    Result<std::string> read() const;
    // What the controller has said, durably.
    Status keep(const std::string& pem) const;

private:
    Result<std::string> read_files() const;
    std::vector<std::string> files_;
    std::string learned_;
};

}  // namespace berth
