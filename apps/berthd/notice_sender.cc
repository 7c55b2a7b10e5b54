#include "apps/berthd/notice_sender.h"

#include "berth/api/json.h"

namespace berth {
namespace {

constexpr std::size_t kMailsAtOnce = 4, kMailsWaitingMax = 10'000;
constexpr Duration kMailTimeout = std::chrono::seconds(120);  // As in Slurm.

}  // namespace

NoticeSender::NoticeSender(LogSink& log, Count count)
    : log_(log),
      count_(std::move(count)),
      webhook_([this](const std::string& failure) { over("webhook", failure); }),
      mail_(kMailsAtOnce, kMailsWaitingMax) {}

void NoticeSender::over(const char* channel, const std::string& failure) {
    count_(channel, failure.empty() ? "sent" : "failed");
    if (failure.empty()) return;
    log_.write(LogLevel::error, "notice", std::string(channel) + " is not sent: " + failure);
}

void NoticeSender::drop(const char* channel) {
    count_(channel, "dropped");
    if (said_dropped_.exchange(true)) return;
    log_.write(LogLevel::error, "notice",
               "more is to be told by " + std::string(channel) +
                   " than it takes: some of it is dropped (berth_notifications_total counts it)");
}

void NoticeSender::tell(Notice notice) {
    if (notice.news) {
        WebhookPost post{std::move(notice.webhook), std::move(notice.secret_file),
                         api::to_json(*notice.news)};
        if (!webhook_.put(std::move(post))) drop("webhook");
    }
    if (!notice.mail) return;
    Mail& mail = *notice.mail;
    ProgramPool::Work work{
        .programs = {{.path = mail.program,
                      .arguments = {"-s", std::move(mail.subject), std::move(mail.to)},
                      .environment = std::move(mail.environment),
                      .timeout = kMailTimeout}},
        .over = [this, program = mail.program](const std::string& failure) {
            over("mail", failure.empty() ? failure : program + " " + failure);
        }};
    if (!mail_.put(std::move(work))) drop("mail");
}

}  // namespace berth
