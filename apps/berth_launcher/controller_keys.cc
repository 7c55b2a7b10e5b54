#include "apps/berth_launcher/controller_keys.h"

#include <unistd.h>

#include "apps/berth_launcher/listener.h"
#include "berth/base/codec.h"
#include "berth/host/os/file_io.h"
#include "berth/trust/secrets.h"

namespace berth {
namespace {

struct Learned {
    std::string files;  // Hash of the files' content at that time.
    std::string pem;
    BERTH_FIELDS(Learned, files, pem)
};

}  // namespace

Result<std::string> ControllerKeys::read_files() const {
    std::string all;
    for (const std::string& path : files_) {
        if (::access(path.c_str(), F_OK) != 0) continue;
        BERTH_CHECK(only_ours(path));
        BERTH_TRY(const std::string pem, read_file(path));
        all += pem;
    }
    return all;
}

Result<std::string> ControllerKeys::read() const {
    BERTH_TRY(std::string all, read_files());
    if (::access(learned_.c_str(), F_OK) == 0) {
        BERTH_CHECK(only_ours(learned_));
        BERTH_TRY(const std::string bytes, read_file(learned_));
        BERTH_TRY(Learned learned, decode<Learned>(bytes));
        if (learned.files == sha256_hex(all)) return std::move(learned.pem);
    }
    if (!all.empty()) return all;
    return Error{ErrorCode::not_found,
                 "the controller's key is not there: `berth-agent join` puts it to " +
                     files_.front() + ", or copy launch.pub of the controller's host"};
}

Status ControllerKeys::keep(const std::string& pem) const {
    BERTH_TRY(const std::string all, read_files());
    const std::string bytes = encode(Learned{sha256_hex(all), pem});
    const Result<std::string> known = read_file(learned_);
    if (known.ok() && *known == bytes) return Done{};
    return write_atomically(learned_, bytes);
}

}  // namespace berth
