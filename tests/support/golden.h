// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace strata::testing {

inline std::filesystem::path golden_folder() {
    return STRATA_GOLDEN_DIR;
}

inline std::string text_of_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline bool updates_golden() {
    const char* wanted = std::getenv("STRATA_UPDATE_GOLDEN");
    return wanted != nullptr && std::string(wanted) == "1";
}

// The first line in which two texts differ, from both: whole outputs are too long to print.
inline std::string first_difference(const std::string& expected, const std::string& actual) {
    std::istringstream left(expected), right(actual);
    std::string wanted, found;
    for (std::size_t line = 1;; ++line) {
        const bool left_ends = !std::getline(left, wanted),
                   right_ends = !std::getline(right, found);
        if (left_ends || right_ends || wanted != found) {
            return "line " + std::to_string(line) + "\n- " + (left_ends ? "(end)" : wanted) +
                   "\n+ " + (right_ends ? "(end)" : found) + "\n";
        }
    }
}

// Compares a whole output with the file tests/golden/NAME. With STRATA_UPDATE_GOLDEN=1 it writes
// the file instead: read the difference before committing it.
inline void expect_golden(const std::string& name, const std::string& output) {
    const auto path = golden_folder() / name;
    if (updates_golden()) {
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << output;
        return;
    }
    ASSERT_TRUE(std::filesystem::exists(path)) << path << " is missing: make it with "
                                               << "STRATA_UPDATE_GOLDEN=1";
    const std::string expected = text_of_file(path);
    if (output != expected) {
        ADD_FAILURE() << first_difference(expected, output) << "in tests/golden/" << name;
    }
}

}  // namespace strata::testing
