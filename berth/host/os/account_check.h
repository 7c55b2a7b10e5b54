// AccountCheck: asks PAM whether a user may run jobs here (expired accounts, closed hours, whatever
// the site has set up for the service). libpam is opened at run time: a node that does not use PAM
// does not need it.
#pragma once

#include <string>

#include "berth/base/fields.h"
#include "berth/base/result.h"

namespace berth {

struct AccountCheck {
    std::string service;  // A file name in /etc/pam.d; empty: no check.
    std::string folder;   // If not empty, used instead of /etc/pam.d.
    BERTH_FIELDS(AccountCheck, service, folder)
};

// permission_denied: PAM rejects the user. REQUIRES: we are root.
// PAM modules run in the calling process and may take half a minute. Therefore only a shepherd
// calls this, never a daemon: what a module breaks concerns one run.
Status check_account(const AccountCheck& check, const std::string& user,
                     const char* library = "libpam.so.0");

}  // namespace berth
