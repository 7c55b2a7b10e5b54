// SlurmJson: what --json and --yaml print, in the shapes of Slurm's data_parser v0.0.44. Written
// incrementally, so a long list takes no memory.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "berth/api/json_writer.h"
#include "berth/base/result.h"
#include "berth/base/time.h"
#include "berth/model/step.h"
#include "berth/slurm/json/yaml_writer.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

enum class Notation { json, yaml };

// The value of --json or --yaml: none, or a version that is supported.
Status check_shape(const char* value);

class SlurmJson {
public:
    SlurmJson(std::ostream& out, Notation notation);

    void begin(std::string_view name);  // An object; without a name, in an array or on top.
    void begin();
    void key(std::string_view name);  // The key of the next value.
    void end();
    void begin_list(std::string_view name);
    void end_list();

    void put(std::string_view name, std::string_view text);
    void put(std::string_view name, const char* text) { put(name, std::string_view(text)); }
    void put(std::string_view name, const std::string& text) { put(name, std::string_view(text)); }
    void put(std::string_view name, bool truth);
    void put(std::string_view name, std::int64_t number);
    void put(std::string_view name, const std::vector<std::string>& texts);

    // {"set": …, "infinite": …, "number": …}
    void put_number(std::string_view name, std::optional<std::int64_t> number);
    void put_infinite(std::string_view name);
    // The same of billionths, as a decimal number: 396040000 is 0.39604.
    void put_billionths(std::string_view name, std::optional<std::int64_t> billionths);
    void put_decimal(std::string_view name, std::int64_t billionths);        // The number alone.
    void put_minutes(std::string_view name, std::optional<Duration> limit);  // nullopt: none.
    void put_time(std::string_view name, std::optional<Time> at);            // nullopt: 0.
    void put_exit(std::string_view name, const ExitStatus& exit, bool is_over);
    // "cpu=8,mem=16G,gres/gpu=2" as a list of objects.
    void put_tres(std::string_view name, std::string_view tres);

    // Ends the document, with "meta", "errors" and "warnings", and writes it out.
    void finish(const Invocation& call, const std::string& cluster);
    void flush();  // Writes out what there is so far.

private:
    void put_meta(const Invocation& call, const std::string& cluster);
    template <class Write>
    void write(const Write& write) {
        std::visit(write, writer_);
    }

    std::ostream& out_;
    std::string text_;
    std::variant<api::JsonWriter, YamlWriter> writer_;
};

}  // namespace berth::slurm
