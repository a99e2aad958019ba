// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

namespace strata {

// While it lives, SIGINT and SIGTERM raise `requested` instead of ending the process, so that what
// was measured can be stored; a second signal ends it at once.
class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static const std::atomic<bool>& requested();
};

}  // namespace strata
