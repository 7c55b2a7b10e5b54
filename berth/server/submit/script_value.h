// ScriptValue: a value on its way between the controller and a site's script, and ScriptTable: what
// a script sees as a table whose fields are the controller's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "berth/base/result.h"

namespace berth {

class ScriptTable;

// A script reads it by index, from 0.
using ScriptList = std::vector<std::string>;
// A script reads it by name, and can iterate over it.
using ScriptTables = std::vector<std::pair<std::string, ScriptTable*>>;
using ScriptValue = std::variant<std::monostate, bool, std::int64_t, double, std::string,
                                 ScriptList, ScriptTable*, ScriptTables>;

class ScriptTable {
public:
    virtual ~ScriptTable() = default;
    virtual ScriptValue read(std::string_view field) = 0;
    // An error says what is wrong with the value, or that the field cannot be written.
    virtual Status write(std::string_view field, const ScriptValue& value) = 0;
};

struct ScriptConstant {
    const char* name;  // A field of the global table `slurm`.
    ScriptValue value;
};

}  // namespace berth
