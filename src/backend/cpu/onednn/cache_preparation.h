// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/arena.h"
#include "measure/policy.h"

#include <functional>
#include <memory>

namespace strata::cpu {

// Brings the caches of the threads' processors into the state in which a step is to find them.
// Cold: every thread writes its part of memory that is twice what the caches hold. Warm: the step
// runs once more than it is timed, so that what it computes no longer comes from real training.
class CachePreparation {
public:
    // Cold takes memory. Throws Error where there is not so much.
    CachePreparation(CacheState state, int threads);

    CacheState state() const { return state_; }
    void prepare(const std::function<void()>& run_step) const;

private:
    CacheState state_;
    int threads_;
    std::size_t bytes_ = 0;
    std::unique_ptr<Arena> written_;
};

// What all threads together have to write to leave nothing of before in their caches.
std::size_t bytes_beyond_caches(int threads);

}  // namespace strata::cpu
