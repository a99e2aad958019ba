// SPDX-License-Identifier: MIT
#pragma once

#include <vector_types.h>

#include <cstddef>

namespace strata::testing {

// Kernels for the tests of the emulator itself: sound ones, and ones with one defect each.
enum class Planted {
    block_sum,
    block_sum_without_barrier,         // between writing shared memory and reading it
    block_sum_without_second_barrier,  // between reading shared memory and writing it again
    block_sum_of_some,                 // some threads miss the barrier
    two_barriers,                      // some threads wait at another one
    warp_sum,
    warp_sum_of_all,            // although the last warp is not full
    warp_sum_after_exit,        // of lanes, some of which have left
    shuffle_without_self,       // the mask does not name the caller
    shuffle_from_outside,       // the mask does not name the source
    neighbour_by_warp_barrier,  // through shared memory
    neighbour_without_barrier,
    votes,
    shift_down,
    unwritten_shared,
    beyond_shared,
    beyond_buffer,  // reads the element after the last
    before_buffer,  // writes the element before the first
    misaligned,     // 16 bytes at an address that is a multiple of 4
    sum_atomically,
    sum_by_stores,  // of all blocks into one element
    mixed_sum,      // an addition and a store
    grid_of_three_axes,
};

// from[i], to[i]: `count` floats. Throws KernelFault.
void launch_planted(Planted which, dim3 blocks, dim3 threads, const float* from, float* to,
                    int count);

}  // namespace strata::testing
