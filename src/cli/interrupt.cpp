// SPDX-License-Identifier: MIT
#include "cli/interrupt.h"

#include <csignal>

namespace strata {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only use such");

void note_interrupt(int signal) {
    if (interrupted.exchange(true)) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
}

}  // namespace

InterruptGuard::InterruptGuard() {
    std::signal(SIGINT, note_interrupt);
    std::signal(SIGTERM, note_interrupt);
}

InterruptGuard::~InterruptGuard() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& InterruptGuard::requested() {
    return interrupted;
}

}  // namespace strata
