// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"
#include "measure/policy.h"

namespace strata::cuda {

// Brings the L2 cache into the requested state on the stream, before a step's own time begins.
// Cold: reads more memory elsewhere than the cache holds; lines that were written would have to be
// written back during the step. Warm: runs the step an extra time, untimed, so its results no
// longer match real training.
class CachePreparation {
public:
    // The cold state allocates memory on the machine, a little more than twice the size of its
    // cache.
    CachePreparation(CacheState state, Machine& machine);

    CacheState state() const { return state_; }
    std::size_t bytes() const { return bytes_; }

    // `enqueue_step` puts the next step on the stream.
    void enqueue(const std::function<void()>& enqueue_step) const;

private:
    CacheState state_;
    Machine* machine_;
    std::size_t bytes_ = 0;
    Memory memory_;
    void* never_written_ =
        nullptr;  // after the memory that is read; the kernel requires the address
    Call reading_;
};

}  // namespace strata::cuda
