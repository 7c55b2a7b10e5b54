// SlurmJson: what --json prints, in the shapes of Slurm's data_parser v0.0.44. Written
// incrementally, so a long list takes no memory.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/json_writer.h"
#include "berth/base/result.h"
#include "berth/base/time.h"
#include "berth/model/step.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// The value of --json: none, or a version that is supported.
Status check_json_version(const char* value);

class SlurmJson {
public:
    explicit SlurmJson(std::ostream& out) : out_(out), writer_(text_) {}

    void begin(std::string_view name);  // An object; without a name, in an array or on top.
    void begin() { writer_.begin_object(); }
    void key(std::string_view name) { writer_.key(name); }  // The key of the next value.
    void end() { writer_.end_object(); }
    void begin_list(std::string_view name);
    void end_list() { writer_.end_array(); }

    void put(std::string_view name, std::string_view text);
    void put(std::string_view name, const char* text) { put(name, std::string_view(text)); }
    void put(std::string_view name, const std::string& text) { put(name, std::string_view(text)); }
    void put(std::string_view name, bool truth);
    void put(std::string_view name, std::int64_t number);
    void put(std::string_view name, const std::vector<std::string>& texts);

    // {"set": …, "infinite": …, "number": …}
    void put_number(std::string_view name, std::optional<std::int64_t> number);
    void put_infinite(std::string_view name);
    void put_minutes(std::string_view name, std::optional<Duration> limit);  // nullopt: none.
    void put_time(std::string_view name, std::optional<Time> at);            // nullopt: 0.
    void put_exit(std::string_view name, const ExitStatus& exit, bool is_over);
    // "cpu=8,mem=16G,gres/gpu=2" as a list of objects.
    void put_tres(std::string_view name, std::string_view tres);

    // "meta", "errors" and "warnings", which end every document.
    void put_frame(const Invocation& call, const std::string& cluster);
    void flush();  // Writes out what there is so far.

private:
    std::ostream& out_;
    std::string text_;
    api::JsonWriter writer_;
};

}  // namespace berth::slurm
