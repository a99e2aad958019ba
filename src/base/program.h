// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace strata {

// A program to run. Its input is empty, and its output is discarded.
struct ProgramCall {
    std::string file;                         // its path
    std::vector<std::string> arguments = {};  // without its name
    // Called with each line of its standard error, without the line's end; what of a line is beyond
    // 4,096 bytes is dropped.
    std::function<void(const std::string& line)> hear = {};
    // Asked ten times a second: as soon as it says so, the program gets SIGINT, once.
    std::function<bool()> is_stopped = {};
    // Asked as often: as soon as it says so, the program gets SIGKILL.
    std::function<bool()> is_killed = {};
};

// How a program ended.
struct ProgramEnd {
    int exit_code = 0;
    int signal = 0;  // that killed it; 0: none did, and it has an exit code
};

// Runs a program to its end. It has a process group of its own, so that an interrupt of the
// terminal reaches it only through `is_stopped`. Throws Error if it cannot be started.
ProgramEnd run_program(const ProgramCall& call);

}  // namespace strata
