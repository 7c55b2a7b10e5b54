// ShapeWriter: writes what Slurm's data_parser writes: numbers that may be unset or infinite, exit
// codes, TRES. Piece by piece, so that a long list takes no memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "berth/api/json_writer.h"
#include "berth/base/time.h"
#include "berth/model/step.h"
#include "berth/slurmrest/yaml_writer.h"

namespace berth::slurmrest {

enum class Notation { json, yaml };

class ShapeWriter {
public:
    // The text may be taken out of `out` at any moment; the writer goes on behind it.
    explicit ShapeWriter(std::string& out, Notation notation = Notation::json);

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
    void put_no_items(std::string_view name);  // An empty list.

    // {"set": …, "infinite": …, "number": …}
    void put_number(std::string_view name, std::optional<std::int64_t> number);
    void put_infinite(std::string_view name);
    void put_minutes(std::string_view name, std::optional<Duration> limit);  // nullopt: none.
    void put_time(std::string_view name, std::optional<Time> at);            // nullopt: 0.
    // The same of billionths, as a decimal number: 396040000 is 0.39604.
    void put_billionths(std::string_view name, std::optional<std::int64_t> billionths);
    // Of what has not ended, too, the code is 0 and a success, as in Slurm.
    void put_exit(std::string_view name, const ExitStatus& exit);
    // "cpu=8,mem=16G,gres/gpu=2" as a list of objects.
    void put_tres(std::string_view name, std::string_view tres);

private:
    template <class Write>
    void write(const Write& write) {
        std::visit(write, writer_);
    }

    std::variant<api::JsonWriter, YamlWriter> writer_;
};

// {"type": "gres", "name": "gpu", "id": 1001, "count": 2}; `tres`: "gres/gpu".
void put_one_tres(ShapeWriter& json, std::string_view tres, std::int64_t count);

}  // namespace berth::slurmrest
