// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"
#include "measure/policy.h"

namespace strata::cuda {

// Brings the L2 cache into the state in which a step is to find it, on the stream, before the
// step's own time begins. Cold: more than the cache holds is written elsewhere. Warm: the step runs
// once more than it is timed, so that what it computes no longer comes from real training.
class CachePreparation {
public:
    // Cold takes memory of the machine, twice what its cache holds.
    CachePreparation(CacheState state, Machine& machine);

    CacheState state() const { return state_; }
    std::size_t bytes() const { return bytes_; }

    // `enqueue_step` puts the step that comes next on the stream.
    void enqueue(const std::function<void()>& enqueue_step) const;

private:
    CacheState state_;
    Machine* machine_;
    std::size_t bytes_ = 0;
    Memory written_;
    Call write_;
};

}  // namespace strata::cuda
