#include "berth/slurm/options/acting_user.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/slurm/options/option_fault.h"

namespace berth::slurm {
namespace {

constexpr std::size_t kRecordMost = 1 << 16;
constexpr int kGroupsMost = 1024;

struct Login {
    std::string name;
    uid_t uid = 0;
    gid_t gid = 0;
};

std::optional<std::uint32_t> id_in(std::string_view text) {
    const auto number = parse_int64(text);
    if (!number.ok() || *number < 0 || *number >= UINT32_MAX) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

std::optional<Login> login_of(uid_t number) {
    std::vector<char> buffer(kRecordMost);
    passwd record{};
    passwd* found = nullptr;
    (void)::getpwuid_r(number, &record, buffer.data(), buffer.size(), &found);
    if (found == nullptr) return std::nullopt;
    return Login{record.pw_name, record.pw_uid, record.pw_gid};
}

// As Slurm and chown do: a name may consist of digits, and comes first.
std::optional<Login> login_of(const std::string& text) {
    std::vector<char> buffer(kRecordMost);
    passwd record{};
    passwd* found = nullptr;
    (void)::getpwnam_r(text.c_str(), &record, buffer.data(), buffer.size(), &found);
    if (found != nullptr) return Login{record.pw_name, record.pw_uid, record.pw_gid};
    const auto number = id_in(text);
    return number ? login_of(uid_t{*number}) : std::nullopt;
}

std::optional<gid_t> group_named(const std::string& text) {
    std::vector<char> buffer(kRecordMost);
    group record{};
    group* found = nullptr;
    (void)::getgrnam_r(text.c_str(), &record, buffer.data(), buffer.size(), &found);
    if (const auto number = id_in(text); number && found == nullptr)
        (void)::getgrgid_r(*number, &record, buffer.data(), buffer.size(), &found);
    if (found == nullptr) return std::nullopt;
    return record.gr_gid;
}

// Drops all that the process was, and verifies that it is gone.
bool become(const Login& account) {
    std::array<gid_t, kGroupsMost> groups{};
    int count = kGroupsMost;
    if (::getgrouplist(account.name.c_str(), account.gid, groups.data(), &count) < 0) return false;
    if (::setgroups(static_cast<std::size_t>(count), groups.data()) != 0) return false;
    if (::setresgid(account.gid, account.gid, account.gid) != 0) return false;
    if (::setresuid(account.uid, account.uid, account.uid) != 0) return false;
    uid_t real = 0, effective = 0, saved = 0;
    if (::getresuid(&real, &effective, &saved) != 0) return false;
    return real == account.uid && effective == account.uid && saved == account.uid;
}

}  // namespace

Status set_uid(JobDraft& draft, const char* value) {
    if (!login_of(std::string(value))) return invalid_argument("Invalid --uid specification");
    draft.of_submission.acting.user = value;
    return Done{};
}

Status set_gid(JobDraft& draft, const char* value) {
    if (!group_named(value)) return invalid_argument("Invalid --gid specification");
    draft.of_submission.acting.group = value;
    return Done{};
}

void join_acting_user(ActingUser& whole, const ActingUser& component) {
    if (whole.user.empty()) whole.user = component.user;
    if (whole.group.empty()) whole.group = component.group;
}

Status become_acting_user(const ActingUser& wanted, const Endpoint& endpoint) {
    if (wanted.user.empty() && wanted.group.empty()) return Done{};
    auto account = wanted.user.empty() ? login_of(::geteuid()) : login_of(wanted.user);
    if (!account) return not_submitted("Invalid user id");
    if (wanted.user.empty()) account->gid = ::getegid();
    if (const auto named = group_named(wanted.group); named && !wanted.group.empty())
        account->gid = *named;
    if (account->uid == ::geteuid() && account->gid == ::getegid()) return Done{};
    if (::geteuid() != 0)
        return not_submitted(wanted.user.empty() ? "Invalid group id" : "Invalid user id");
    if (endpoint.socket.empty()) {
        return Error{ErrorCode::failed_precondition,
                     "--uid and --gid need the controller's Unix socket; over the network the "
                     "token says whose job it is"};
    }
    if (become(*account)) return Done{};
    return Error{ErrorCode::permission_denied, "cannot become user " + account->name};
}

}  // namespace berth::slurm
