#include "apps/berthd/state_folder.h"

#include <filesystem>

#include "berth/store/schema.h"
#include "berth/trust/ownership.h"

namespace berth {

namespace fs = std::filesystem;

Status prepare_state_folder(const std::string& directory) {
    BERTH_CHECK(make_owned_folder(directory, 0700));
    const fs::path ours = fs::path(directory) / kStateFile;
    BERTH_CHECK(check_ownership(ours.string()));
    BERTH_CHECK(check_ownership(directory + "/keys"));
    std::error_code ignored;
    const fs::path below = fs::path(directory) / "state" / kStateFile;
    if (fs::exists(ours, ignored) || !fs::exists(below, ignored)) return Done{};
    return Error{ErrorCode::failed_precondition,
                 "there is no database in " + directory + ", but one in " +
                     below.parent_path().string() + ": start that cluster with berth up --state " +
                     directory + ", or name --state " + below.parent_path().string()};
}

}  // namespace berth
