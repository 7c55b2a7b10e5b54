#include "berth/server/submit/submit_speech.h"

#include <utility>

namespace berth {
namespace {

std::string one_line(std::string_view text) {
    std::string line(text.substr(0, SubmitSpeech::kLineBytesMost));
    for (char& c : line) {
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = c == '\t' ? ' ' : '?';
    }
    return line;
}

}  // namespace

void SubmitSpeech::begin(std::shared_ptr<const ClusterSpec> cluster) {
    cluster_ = std::move(cluster);
    logged_ = 0;
    messages_.clear();
}

void SubmitSpeech::log(LogLevel level, std::string_view text) {
    if (++logged_ > kLogLinesMost) return;
    if (logged_ == kLogLinesMost) text = "the script logs more than 200 lines: no more of them";
    log_.write(level, "job_submit", one_line(text));
}

void SubmitSpeech::tell_user(std::string_view text) {
    // A text of megabytes is not split any further than it is shown.
    while (messages_.size() < kUserLinesMost) {
        const std::size_t end = text.find('\n');
        messages_.push_back(one_line(text.substr(0, end)));
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + 1);
    }
}

ScriptValue SubmitSpeech::qos_priority(std::string_view qos) {
    const auto id = cluster_ == nullptr ? std::nullopt : cluster_->find_qos(qos);
    if (!id) return {};
    return cluster_->qos[id->value()].priority;
}

}  // namespace berth
