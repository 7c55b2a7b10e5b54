// SubmitSpeech: what a site's script says while it decides about one command: lines for the log and
// for the user, bounded in number and length, without control characters.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/log.h"
#include "berth/model/cluster_spec.h"
#include "berth/server/submit/lua_script.h"

namespace berth {

class SubmitSpeech final : public ScriptOutside {
public:
    static constexpr std::size_t kLogLinesMost = 200, kUserLinesMost = 50, kLineBytesMost = 1000;

    explicit SubmitSpeech(LogSink& log) : log_(log) {}

    void begin(std::shared_ptr<const ClusterSpec> cluster);
    std::vector<std::string> messages() const { return messages_; }

    void log(LogLevel level, std::string_view text) override;
    void tell_user(std::string_view text) override;
    ScriptValue qos_priority(std::string_view qos) override;

private:
    LogSink& log_;
    std::shared_ptr<const ClusterSpec> cluster_;
    std::size_t logged_ = 0;
    std::vector<std::string> messages_;
};

}  // namespace berth
