// Webhook: posts job events to the site's URL, one at a time, on a thread of its own.
//
// The body is JSON (JobNews in model/notice.h). With a secret, the header X-Berth-Signature is
// "sha256=" and the HMAC-SHA256, in hex, of X-Berth-Timestamp, a dot and the body. Redirects are
// not followed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "berth/model/notice.h"

namespace berth {

struct WebhookPost {
    std::string url, secret_file, body;
};

class Webhook {
public:
    // `over` is called with the result of each post: empty if it was accepted.
    explicit Webhook(std::function<void(std::string failure)> over);
    ~Webhook();  // Drops posts that still wait.
    Webhook(const Webhook&) = delete;
    Webhook& operator=(const Webhook&) = delete;

    // Returns false if too many wait already.
    bool put(WebhookPost post);

private:
    void run();
    bool pause(int seconds);  // Returns false when the webhook is being destroyed.
    std::string deliver(const WebhookPost& post);

    std::function<void(std::string)> over_;
    std::mutex mutex_;
    std::condition_variable put_;
    std::deque<WebhookPost> waiting_;
    std::atomic<bool> ending_ = false;
    std::thread thread_;  // Last, because it uses all members above.
};

}  // namespace berth
