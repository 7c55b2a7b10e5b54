// ControllerKeys: the public keys of the controller that a launcher trusts. First these are the
// administrator's files. Then the controller itself sends keys, signed with a trusted one; the last
// set received counts until the files change.
#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"

namespace berth {

class ControllerKeys {
public:
    // `files`: of the administrator; missing ones are skipped. `learned`: our own file.
    ControllerKeys(std::vector<std::string> files, std::string learned)
        : files_(std::move(files)), learned_(std::move(learned)) {}

    // All keys as PEM. not_found: there is none yet.
    Result<std::string> read() const;
    // Stores the keys that the controller has sent, durably.
    Status keep(const std::string& pem) const;

private:
    Result<std::string> read_files() const;
    std::vector<std::string> files_;
    std::string learned_;
};

}  // namespace berth
