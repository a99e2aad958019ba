// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/arena.h"
#include "measure/policy.h"

#include <functional>
#include <memory>

namespace strata::cpu {

// Brings the caches of the threads' processors into the requested state before a step. Cold: the
// threads together write twice as much memory as the caches hold. Warm: runs the step an extra
// time, untimed, so its results no longer match real training.
class CachePreparation {
public:
    // The cold state allocates memory. Throws Error if there is not enough.
    CachePreparation(CacheState state, int threads);

    CacheState state() const { return state_; }
    void prepare(const std::function<void()>& run_step) const;

private:
    CacheState state_;
    int threads_;
    std::size_t bytes_ = 0;
    std::unique_ptr<Arena> written_;
};

// The bytes that all threads together must write to evict everything earlier from their caches.
std::size_t bytes_beyond_caches(int threads);

}  // namespace strata::cpu
