// Admission: e-mail notifications (--mail-type, --mail-user).
#include "berth/engine/admission/admission_checks.h"
#include "berth/model/mail.h"

namespace berth {
namespace {

constexpr std::uint32_t kMailTypesMax =
    2 * static_cast<std::uint32_t>(MailType::invalid_depend) - 1;

Objection check_types(std::uint32_t types) {
    if (types <= kMailTypesMax) return std::nullopt;
    return Refusing{.why = Refusal::invalid_request,
                    .message = "mail_types is a sum of 1 (BEGIN), 2 (END), 4 (FAIL) … 1024"};
}

// As in Slurm, the default address is the owner's, at the site's domain.
Objection resolve_mail_user(const ClusterSpec& cluster, const Job& job, std::string& address) {
    const std::string& domain = cluster.notifications.mail_domain;
    if (address.empty()) {
        address = job.owner->user;
        if (address.find('@') == std::string::npos && !domain.empty()) address += "@" + domain;
    }
    std::string objection = objection_to_address(address);
    if (objection.empty()) return std::nullopt;
    return Refusing{.why = Refusal::invalid_request, .message = std::move(objection)};
}

}  // namespace

Objection check_mail(const ClusterSpec& cluster, Job& job) {
    const JobCommand& command = job.spec.command;
    if (command.mail_types == 0 && command.mail_user.empty()) return std::nullopt;
    if (auto no = check_types(command.mail_types)) return no;
    return resolve_mail_user(cluster, job, job.spec.command.edit().mail_user);
}

Objection check_mail(const ClusterSpec& cluster, const Job& job, JobUpdated& update) {
    if (auto no = check_types(update.mail_types.value_or(0))) return no;
    const bool needs_user =
        update.mail_types.value_or(0) != 0 && job.spec.command->mail_user.empty();
    if (!update.mail_user && !needs_user) return std::nullopt;
    return resolve_mail_user(cluster, job, update.mail_user.emplace(update.mail_user.value_or("")));
}

}  // namespace berth
