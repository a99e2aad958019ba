// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace strata {

// Instructions per warp of 32 threads, as a profiler counts them.
struct Instructions {
    double multiply_adds = 0;  // fp32
    double shared_loads = 0;
    double shared_stores = 0;
    double global_loads = 0;
    double global_stores = 0;
    double barriers = 0;
    double other = 0;  // addresses, loops, scaling

    double total() const {
        return multiply_adds + shared_loads + shared_stores + global_loads + global_stores +
               barriers + other;
    }
    double loads_and_stores() const {
        return shared_loads + shared_stores + global_loads + global_stores;
    }
    Instructions& operator+=(const Instructions& more);
    Instructions& operator*=(double factor);
};

// The part of a kernel's products that one thread block computes, in steps along the sum.
struct BlockTile {
    int m = 128, n = 128, k = 8;
    int warps = 8;
    bool is_gathered = false;  // an operand is read element by element, as images are
};

// A step of a block, from operands in memory to sums in registers, for a tile of m x n in which
// each thread keeps r_m x r_n sums:
//
//     multiply_adds = m n k / 32           global loads, shared stores = (m + n) k / (32 w) each
//     shared loads = 32 warps k (r_m + r_n) / (32 * 4)          a barrier, and 6 others, of each
//     warp
//
// with w elements in a load: 4, or 1 for a gathered operand, each of which also needs an address.
// (The loop of CUTLASS and of cuBLAS's fp32 kernels, as CUTLASS's documentation describes it;
// derived, not counted.)
Instructions instructions_of_step(const BlockTile& tile);

// The end of a block: each result is scaled and written.
Instructions instructions_of_epilogue(const BlockTile& tile);

// A kernel that reads and writes this many elements of four bytes, one at a time per thread: a load
// or store for each, an operation for each one read, and two others for addresses.
Instructions instructions_of_stream(double elements_read, double elements_written);

}  // namespace strata
