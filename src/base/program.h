// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// A program to run. Its input is empty, and its output is discarded.
struct ProgramCall {
    std::string file;                         // its path
    std::vector<std::string> arguments = {};  // without the program's name
    // Called with each line of its standard error, without the line feed; lines are cut at 4,096
    // bytes.
    std::function<void(const std::string& line)> hear = {};
    // Polled ten times a second: as soon as it returns true, the program gets SIGINT, once.
    std::function<bool()> is_stopped = {};
    // Polled as often: as soon as it returns true, the program gets SIGKILL.
    std::function<bool()> is_killed = {};
};

// How a program ended.
struct ProgramEnd {
    int exit_code = 0;
    int signal = 0;  // the signal that killed it; 0: it exited with exit_code
};

// The program of that name in the folders of $PATH; empty if there is none.
std::optional<std::filesystem::path> find_in_path(const std::string& name);

// Runs a program to its end. It gets its own process group, so that an interrupt from the terminal
// reaches it only through `is_stopped`. Throws Error if it cannot be started.
ProgramEnd run_program(const ProgramCall& call);

}  // namespace strata
