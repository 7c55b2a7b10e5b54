// AccountCheck: whether PAM lets a user have jobs here at all: expired accounts, closed hours, what
// else the site has set up for the service. The library is opened at run time, as NVIDIA's is: a
// node that does not ask PAM needs nothing of it.
#pragma once

#include <string>

#include "berth/base/fields.h"
#include "berth/base/result.h"

namespace berth {

struct AccountCheck {
    std::string service;  // A file's name in /etc/pam.d; empty: nobody is asked about.
    std::string folder;   // Instead of that one.
    BERTH_FIELDS(AccountCheck, service, folder)
};

// permission_denied: not this user. For root alone, who must be let in by no one. PAM's modules run
// in this process, which is why a shepherd calls it and no daemon does: what they break, and the
// half minute that they may take, is one run's.
Status check_account(const AccountCheck& check, const std::string& user,
                     const char* library = "libpam.so.0");

}  // namespace berth
