// SPDX-License-Identifier: MIT
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace strata {

// The status that the process returns to its caller.
enum class ExitCode : int {
    done = 0,
    failed = 1,
    usage = 2,
    machine_cannot = 3,
    unstable = 4,
    regression = 5,
    interrupted = 130,
};

// The command cannot go on. The message is one sentence that names what, where and the fix; it is
// thrown anywhere and caught once, in main.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& sentence, ExitCode code = ExitCode::failed)
        : std::runtime_error(sentence), code_(code) {}
    ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

// Stops the program with a message when a condition that our own code must guarantee is broken:
// a failed check is a bug of strata, never of its input.
void check(bool holds, std::string_view what,
           std::source_location where = std::source_location::current());

}  // namespace strata
