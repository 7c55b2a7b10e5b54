// Webhook: posts news of jobs to the site's URL, one after the other, on a thread of its own.
//
// The body is JSON (model/notice.h's JobNews). With a secret, X-Berth-Signature is "sha256=" and
// the HMAC-SHA256, in hex, of X-Berth-Timestamp, a dot and the body. Berth follows no redirects.
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
    // `over` learns how each fared: empty where it was taken.
    explicit Webhook(std::function<void(std::string failure)> over);
    ~Webhook();  // What still waits is dropped.
    Webhook(const Webhook&) = delete;
    Webhook& operator=(const Webhook&) = delete;

    // False: too many wait already.
    bool put(WebhookPost post);

private:
    void run();
    bool pause(int seconds);  // False: it ends.
    std::string deliver(const WebhookPost& post);

    std::function<void(std::string)> over_;
    std::mutex mutex_;
    std::condition_variable put_;
    std::deque<WebhookPost> waiting_;
    std::atomic<bool> ending_ = false;
    std::thread thread_;  // Last: it uses the rest.
};

}  // namespace berth
