// SPDX-License-Identifier: MIT
#include "backend/device_watch.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace strata {

namespace {

std::atomic<bool> hangs = false;

// Handlers run in the reverse order of their registration, so this one ends the process before the
// vendor's, which were registered when its libraries were loaded or first used.
void end_process(int status, void*) {
    std::fflush(nullptr);
    std::_Exit(status);
}

}  // namespace

bool device_hangs() noexcept {
    return hangs;
}

void give_up_device() noexcept {
    if (!hangs.exchange(true)) {
        on_exit(end_process, nullptr);
    }
}

}  // namespace strata
