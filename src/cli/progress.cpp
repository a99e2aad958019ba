// SPDX-License-Identifier: MIT
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace strata {

ProgressLine::ProgressLine() : visible_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    if (visible_) {
        fmt::print(stderr, "\r\x1b[K");
    }
}

void ProgressLine::show(const std::string& what, double fraction) {
    if (!visible_) {
        return;
    }
    if (fraction > 0) {
        fmt::print(stderr, "\r\x1b[K{} {:.0f} %", what, 100 * fraction);
    } else {
        fmt::print(stderr, "\r\x1b[K{} …", what);
    }
    std::fflush(stderr);
}

}  // namespace strata
