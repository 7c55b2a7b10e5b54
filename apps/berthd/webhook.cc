#include "apps/berthd/webhook.h"

#include <curl/curl.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>

#include "berth/base/text.h"
#include "berth/trust/secrets.h"

namespace berth {
namespace {

constexpr std::size_t kNoticesWaitingMax = 10'000;
constexpr long kConnectMs = 5'000, kWholeMs = 10'000;
constexpr int kTries = 3;
constexpr int kPauseSeconds = 2;  // After the first failure; doubled after the second.

struct Outcome {
    std::string failure;  // Empty: it was accepted.
    bool again = false;   // A retry may succeed.
};

// With an empty secret, anybody who knows the URL could forge posts: an unreadable secret is a
// failure.
Outcome read_secret(const std::string& path, std::string& secret) {
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0) return {path + " is not there", false};
    if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return {path + " can be read by others: chmod 600 it", false};
    }
    std::ifstream file(path);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    secret = trim(content);
    if (secret.empty()) return {path + " is empty", false};
    return {};
}

std::size_t ignore(char*, std::size_t size, std::size_t count, void*) { return size * count; }

// A result other than 0 aborts the transfer.
int is_ending(void* flag, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return *static_cast<const std::atomic<bool>*>(flag) ? 1 : 0;
}

class Request {
public:
    explicit Request(std::atomic<bool>& ending) : curl_(curl_easy_init()), ending_(ending) {}
    ~Request() {
        curl_slist_free_all(headers_);
        curl_easy_cleanup(curl_);
    }
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

    void header(const std::string& line) { headers_ = curl_slist_append(headers_, line.c_str()); }

    Outcome post(const std::string& url, const std::string& body) {
        if (curl_ == nullptr) return {"libcurl does not start", true};
        curl_easy_setopt(curl_, CURLOPT_URL, url.c_str());
        curl_easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(curl_, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
        curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS, kWholeMs);
        curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers_);
        curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
        curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, body.c_str());
        curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, ignore);
        curl_easy_setopt(curl_, CURLOPT_NOPROGRESS, 0L);
        curl_easy_setopt(curl_, CURLOPT_XFERINFOFUNCTION, is_ending);
        curl_easy_setopt(curl_, CURLOPT_XFERINFODATA, &ending_);
        const CURLcode done = curl_easy_perform(curl_);
        if (done != CURLE_OK) return {curl_easy_strerror(done), true};
        long status = 0;
        curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
        if (status >= 200 && status < 300) return {};
        return {"answers with HTTP status " + std::to_string(status),
                status >= 500 || status == 429};
    }

private:
    CURL* curl_;
    curl_slist* headers_ = nullptr;
    std::atomic<bool>& ending_;
};

Outcome post_once(const WebhookPost& post, std::atomic<bool>& ending) {
    Request request(ending);
    request.header("Content-Type: application/json");
    request.header("User-Agent: berthd/" BERTH_VERSION);
    request.header("Expect:");
    if (!post.secret_file.empty()) {
        std::string secret;
        if (Outcome unread = read_secret(post.secret_file, secret); !unread.failure.empty()) {
            return unread;
        }
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const std::string at =
            std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now).count());
        request.header("X-Berth-Timestamp: " + at);
        request.header("X-Berth-Signature: sha256=" +
                       hmac_sha256_hex(secret, at + "." + post.body));
    }
    return request.post(post.url, post.body);
}

}  // namespace

Webhook::Webhook(std::function<void(std::string)> over) : over_(std::move(over)) {
    curl_global_init(CURL_GLOBAL_DEFAULT);  // Must precede the threads that use it.
    thread_ = std::thread([this] { run(); });
}

Webhook::~Webhook() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    put_.notify_all();
    thread_.join();
}

bool Webhook::put(WebhookPost post) {
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() >= kNoticesWaitingMax) return false;
        waiting_.push_back(std::move(post));
    }
    put_.notify_one();
    return true;
}

bool Webhook::pause(int seconds) {
    std::unique_lock lock(mutex_);
    return !put_.wait_for(lock, std::chrono::seconds(seconds), [this] { return ending_.load(); });
}

std::string Webhook::deliver(const WebhookPost& post) {
    for (int tried = 1;; ++tried) {
        Outcome outcome = post_once(post, ending_);
        if (outcome.failure.empty() || !outcome.again || tried == kTries) return outcome.failure;
        if (!pause(kPauseSeconds * tried)) return outcome.failure;
    }
}

void Webhook::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        put_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (ending_) return;
        const WebhookPost post = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        std::string failure = deliver(post);
        over_(std::move(failure));
        lock.lock();
    }
}

}  // namespace berth
