// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

namespace strata {

// While it lives, SIGINT and SIGTERM set `requested` instead of ending the process, so that what
// was measured can be stored. A second signal ends the process at once.
class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static const std::atomic<bool>& requested();
};

}  // namespace strata
