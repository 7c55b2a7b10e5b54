// SubmitScript: whether the site's job_submit.lua can be used, before its configuration is.
#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// Where JobSubmitPlugins names lua, loads the script once, and forgets it. `directory`: where the
// configuration lies, for messages.
Status check_submit_script(const std::string& directory, const JobSubmitSpec& spec);

}  // namespace berth
