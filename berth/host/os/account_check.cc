#include "berth/host/os/account_check.h"

#include <dlfcn.h>
#include <unistd.h>

namespace berth {
namespace {

// Declares only the functions in use, as Linux-PAM documents them.
constexpr int kPamSuccess = 0, kPamConversationError = 19;
constexpr int kPamSilent = 0x8000;
constexpr unsigned kSecondsMost = 30;

struct PamConversation {
    int (*talk)(int, const void**, void**, void*);
    void* with;
};

// No user is present to answer PAM's questions.
int say_nothing(int, const void**, void**, void*) { return kPamConversationError; }

class Pam {
public:
    explicit Pam(const char* library) : library_(::dlopen(library, RTLD_NOW | RTLD_GLOBAL)) {
        if (library_ == nullptr) return;
        find(start_, "pam_start");
        find(start_in_, "pam_start_confdir");
        find(account_, "pam_acct_mgmt");
        find(end_, "pam_end");
        find(error_string_, "pam_strerror");
    }
    Pam(const Pam&) = delete;
    Pam& operator=(const Pam&) = delete;
    ~Pam() {  // The library stays loaded: its modules may have left something in this process.
        if (handle_ != nullptr) end_(handle_, last_);
    }

    Status ask(const AccountCheck& check, const std::string& user) {
        if (start_ == nullptr || account_ == nullptr || end_ == nullptr || error_string_ == nullptr)
            return Error{ErrorCode::not_found, "UsePAM is set, and there is no libpam.so.0 here"};
        if (!check.folder.empty() && start_in_ == nullptr)
            return Error{ErrorCode::not_found, "this libpam takes no other folder"};
        static const PamConversation silence{say_nothing, nullptr};
        last_ = check.folder.empty()
                    ? start_(check.service.c_str(), user.c_str(), &silence, &handle_)
                    : start_in_(check.service.c_str(), user.c_str(), &silence, check.folder.c_str(),
                                &handle_);
        if (last_ == kPamSuccess) last_ = account_(handle_, kPamSilent);
        if (last_ == kPamSuccess) return Done{};
        return Error{ErrorCode::permission_denied,
                     "PAM (service " + check.service + ") does not let " + user +
                         " run jobs on this node: " + error_string_(handle_, last_)};
    }

private:
    template <class Function>
    void find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(::dlsym(library_, name));
    }

    void* library_;
    void* handle_ = nullptr;
    int last_ = kPamSuccess;
    int (*start_)(const char*, const char*, const PamConversation*, void**) = nullptr;
    int (*start_in_)(const char*, const char*, const PamConversation*, const char*,
                     void**) = nullptr;
    int (*account_)(void*, int) = nullptr;
    int (*end_)(void*, int) = nullptr;
    const char* (*error_string_)(void*, int) = nullptr;
};

}  // namespace

Status check_account(const AccountCheck& check, const std::string& user, const char* library) {
    if (check.service.empty() || ::geteuid() != 0) return Done{};
    ::alarm(kSecondsMost);
    Status allowed = Pam(library).ask(check, user);
    ::alarm(0);
    return allowed;
}

}  // namespace berth
