// NoticeSender: sends notices about jobs: mails by the site's MailProg, events by its webhook. It
// never blocks its caller: excess notices are dropped and counted.
#pragma once

#include <atomic>
#include <functional>

#include "apps/berthd/program_pool.h"
#include "apps/berthd/webhook.h"
#include "berth/base/log.h"
#include "berth/control/core/ports.h"

namespace berth {

class NoticeSender final : public Notifier {
public:
    // `channel`: "mail" or "webhook". `result`: "sent", "failed" or "dropped".
    using Count = std::function<void(const char* channel, const char* result)>;

    NoticeSender(LogSink& log, Count count);

    void tell(Notice notice) override;

private:
    void over(const char* channel, const std::string& failure);
    void drop(const char* channel);

    LogSink& log_;
    Count count_;
    std::atomic<bool> said_dropped_ = false;
    Webhook webhook_;
    ProgramPool mail_;
};

}  // namespace berth
