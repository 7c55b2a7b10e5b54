// Who is told what becomes of jobs: slurm.conf's MailProg and MailDomain, and berth.yaml's
// `notifications`, which name the site's webhook.
#include <yaml-cpp/yaml.h>

#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/config/globals.h"
#include "berth/config/notifications.h"
#include "berth/model/mail.h"

namespace berth::config {
namespace {

class NotificationReader {
public:
    NotificationReader(Draft& draft, const std::string& file) : draft_(draft), file_(file) {}

    void read(const YAML::Node& node) {
        if (!node.IsMap()) return error(node, "should be a map with url, events, secret_file");
        for (const auto& entry : node) {
            const std::string key = scalar(entry.first);
            if (key == "url") {
                read_url(entry.second);
            } else if (key == "events") {
                read_events(entry.second);
            } else if (key == "secret_file") {
                read_secret_file(entry.second);
            } else {
                error(entry.first,
                      "there is no option " + key + " here; there are url, events, secret_file");
            }
        }
        if (spec().webhook.empty()) return error(node, "there should be a url");
        if (spec().webhook_events == 0) {
            for (const MailType one : {MailType::begin, MailType::end, MailType::fail}) {
                spec().webhook_events |= static_cast<std::uint32_t>(one);
            }
        }
    }

private:
    NotificationSpec& spec() { return draft_.spec.notifications; }

    void read_url(const YAML::Node& node) {
        spec().webhook = scalar(node);
        const bool is_url =
            spec().webhook.starts_with("https://") || spec().webhook.starts_with("http://");
        if (!is_url) error(node, "should be a URL, like https://hooks.example.org/berth");
    }
    void read_events(const YAML::Node& node) {
        std::string words;
        if (node.IsScalar()) words = node.Scalar();
        if (node.IsSequence()) {
            for (const auto& one : node) words += (words.empty() ? "" : ",") + scalar(one);
        }
        const auto types = parse_mail_types(words);
        if (types && types->bits != 0 && !types->has(MailType::array_tasks)) {
            spec().webhook_events = types->bits;
        } else {
            error(node,
                  "should be a list of BEGIN, END, FAIL, REQUEUE, INVALID_DEPEND, TIME_LIMIT, "
                  "TIME_LIMIT_90, TIME_LIMIT_80, TIME_LIMIT_50, or ALL");
        }
    }
    void read_secret_file(const YAML::Node& node) {
        spec().webhook_secret_file = scalar(node);
        if (!spec().webhook_secret_file.starts_with('/')) {
            error(node, "should be an absolute path, like /etc/berth/webhook.secret");
        }
    }
    std::string scalar(const YAML::Node& node) {
        if (node.IsScalar()) return node.Scalar();
        error(node, "should be a single value");
        return {};
    }
    void error(const YAML::Node& at, const std::string& message) {
        const int line = at.Mark().line;
        draft_.findings.add(Severity::error, file_,
                            line < 0 ? 0 : static_cast<std::size_t>(line) + 1,
                            "notifications: " + message);
    }

    Draft& draft_;
    const std::string& file_;
};

}  // namespace

void read_notifications(Draft& draft, const std::string& file, const YAML::Node& node) {
    NotificationReader(draft, file).read(node);
}

void read_notification_keys(Draft& draft) {
    const Globals globals(draft);
    NotificationSpec& spec = draft.spec.notifications;
    if (const Pair* program = draft.global("mailprog")) {
        spec.mail_program = iequals(*program->value, "none") ? "" : *program->value;
        if (!spec.mail_program.empty() && !spec.mail_program.starts_with('/')) {
            draft.error(globals.line(), *program,
                        "MailProg=" + *program->value +
                            " should be an absolute path, like /usr/bin/mail, or None");
        }
    }
    const Pair* const domain = draft.global("maildomain");
    if (domain == nullptr) return;
    spec.mail_domain = *domain->value;
    const std::string objection = objection_to_address("user@" + spec.mail_domain);
    if (!objection.empty() || spec.mail_domain.empty() || spec.mail_domain.starts_with('@')) {
        draft.error(globals.line(), *domain,
                    "MailDomain=" + *domain->value + " should be a domain, like example.org");
    }
}

}  // namespace berth::config
