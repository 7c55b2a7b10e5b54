// Where the baseline lies, and how its text files are read.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace berth::baseline {

inline std::string path_of(const std::string& name) {
    return std::string(BERTH_SOURCE_DIR) + "/tests/baseline/" + name;
}

// Empty if there is no such file.
inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

}  // namespace berth::baseline
