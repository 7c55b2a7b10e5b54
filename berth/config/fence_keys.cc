#include "berth/config/fence_keys.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "berth/base/duration_text.h"

namespace berth::config {
namespace {

class FenceReader {
public:
    FenceReader(Draft& draft, const std::string& file) : draft_(draft), file_(file) {}

    void read(const YAML::Node& node) {
        FenceSpec& fence = draft_.spec.fence;
        if (!node.IsMap()) {
            return error(node, "should be a map with program, timeout, presume_dead_after");
        }
        for (const auto& entry : node) {
            const std::string key = scalar(entry.first);
            if (key == "program") {
                fence.program = scalar(entry.second);
                if (!fence.program.starts_with('/')) {
                    error(entry.second, "should be an absolute path, like /etc/berth/fence.sh");
                }
            } else if (key == "timeout") {
                fence.timeout = length(entry.second).value_or(fence.timeout);
            } else if (key == "presume_dead_after") {
                fence.presume_dead_after.reset();
                if (scalar(entry.second) != "never") {
                    fence.presume_dead_after = length(entry.second);
                }
            } else {
                error(entry.first, "there is no option " + key +
                                       " here; there are program, timeout, presume_dead_after");
            }
        }
    }

private:
    // Of time; not none, and not without end.
    std::optional<Duration> length(const YAML::Node& node) {
        const auto length = parse_time_limit(scalar(node));
        if (length.ok() && *length && **length > Duration{}) return *length;
        error(node, "should be a length of time, like 10 (minutes) or 0:30 (minutes:seconds)");
        return std::nullopt;
    }
    std::string scalar(const YAML::Node& node) {
        if (node.IsScalar()) return node.Scalar();
        error(node, "should be a single value");
        return {};
    }
    void error(const YAML::Node& at, const std::string& text) {
        const auto line = static_cast<std::size_t>(std::max(at.Mark().line, 0)) + 1;
        draft_.error({.file = file_, .number = line, .pairs = {}}, text);
    }

    Draft& draft_;
    std::string file_;
};

}  // namespace

void read_fence(Draft& draft, const std::string& file, const YAML::Node& node) {
    FenceReader(draft, file).read(node);
}

}  // namespace berth::config
