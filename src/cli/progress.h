// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace strata {

// One line on standard error that says what goes on, rewritten in place; silent where standard
// error is not a terminal. Erased when it goes away.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const std::string& what, double fraction);

private:
    bool visible_;
};

}  // namespace strata
