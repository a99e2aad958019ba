// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace strata::cuda {

// Two values into one, in any order.
struct Add {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a + b;
    }
};
struct Greater {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return b > a ? b : a;
    }
};

// Threads that compute one row or column together. A body strides through its elements from
// `index()` by `size()` and combines the partial results; every thread gets the result, and thread
// 0 writes values that exist once per team.

// The 32 threads of a warp.
class WarpTeam {
public:
    __device__ std::int64_t index() const { return threadIdx.x % 32; }
    __device__ std::int64_t size() const { return 32; }
    template <class T, class Combine>
    __device__ T combined(T value, Combine combine) const {
        for (int distance = 16; distance > 0; distance /= 2) {
            value = combine(value, __shfl_xor_sync(~0U, value, distance));
        }
        return value;
    }
};

// All threads of a block: each warp reduces alone, then the warps' results are combined through
// shared memory.
class BlockTeam {
public:
    __device__ std::int64_t index() const { return threadIdx.x; }
    __device__ std::int64_t size() const { return blockDim.x; }
    template <class T, class Combine>
    __device__ T combined(T value, Combine combine) const {
        __shared__ T parts[32];
        value = WarpTeam().combined(value, combine);
        __syncthreads();  // a slow warp may still be reading the last reduction's results
        if (threadIdx.x % 32 == 0) {
            parts[threadIdx.x / 32] = value;
        }
        __syncthreads();
        T result = parts[0];
        for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
            result = combine(result, parts[warp]);
        }
        return result;
    }
};

// The threads of a block with the same threadIdx.x: neighbours in x work on neighbouring columns,
// so that a warp's accesses coalesce. A team beyond the last column takes part in the reductions,
// but it has no elements, and none of its threads is thread 0.
class ColumnTeam {
public:
    __device__ explicit ColumnTeam(bool has_column) : has_column_(has_column) {}
    __device__ std::int64_t index() const { return has_column_ ? threadIdx.y : beyond; }
    __device__ std::int64_t size() const { return blockDim.y; }
    template <class T, class Combine>
    __device__ T combined(T value, Combine combine) const {
        __shared__ T parts[32][32];
        __syncthreads();
        parts[threadIdx.y][threadIdx.x] = value;
        __syncthreads();
        T result = parts[0][threadIdx.x];
        for (unsigned y = 1; y < blockDim.y; ++y) {
            result = combine(result, parts[y][threadIdx.x]);
        }
        return result;
    }

private:
    static constexpr std::int64_t beyond = std::int64_t{1} << 62;
    bool has_column_;
};

}  // namespace strata::cuda
