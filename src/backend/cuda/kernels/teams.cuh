// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace strata::cuda {

// Threads that compute one row, or one column, together. A body strides through its elements from
// `index()` by `size()`, then sums or compares what each found; every thread gets the result, and
// the one of index 0 writes what is one for all. On the host a team is one thread, so a body must
// not depend on how many there are but for rounding.
class HostTeam {
public:
    std::int64_t index() const { return 0; }
    std::int64_t size() const { return 1; }
    float sum(float value) const { return value; }
    float maximum(float value) const { return value; }
    std::int64_t minimum(std::int64_t value) const { return value; }
    void synchronize() const {}
};

#ifdef __CUDACC__

// The 32 threads of a warp.
class WarpTeam {
public:
    __device__ std::int64_t index() const { return threadIdx.x % 32; }
    __device__ std::int64_t size() const { return 32; }
    __device__ float sum(float value) const {
        for (int distance = 16; distance > 0; distance /= 2) {
            value += __shfl_xor_sync(~0U, value, distance);
        }
        return value;
    }
    __device__ float maximum(float value) const {
        for (int distance = 16; distance > 0; distance /= 2) {
            value = fmaxf(value, __shfl_xor_sync(~0U, value, distance));
        }
        return value;
    }
    __device__ std::int64_t minimum(std::int64_t value) const {
        for (int distance = 16; distance > 0; distance /= 2) {
            const auto other = static_cast<std::int64_t>(
                __shfl_xor_sync(~0U, static_cast<long long>(value), distance));
            value = other < value ? other : value;
        }
        return value;
    }
    __device__ void synchronize() const { __syncwarp(); }
};

// All threads of a block: each warp alone, then the warps' results through shared memory.
class BlockTeam {
public:
    __device__ std::int64_t index() const { return threadIdx.x; }
    __device__ std::int64_t size() const { return blockDim.x; }
    __device__ float sum(float value) const {
        __shared__ float parts[32];
        value = warp_.sum(value);
        share(parts, value);
        return warp_.sum(warp_.index() < warps() ? parts[warp_.index()] : 0.0F);
    }
    __device__ float maximum(float value) const {
        __shared__ float parts[32];
        value = warp_.maximum(value);
        share(parts, value);
        return warp_.maximum(warp_.index() < warps() ? parts[warp_.index()] : parts[0]);
    }
    __device__ std::int64_t minimum(std::int64_t value) const {
        __shared__ std::int64_t parts[32];
        value = warp_.minimum(value);
        share(parts, value);
        return warp_.minimum(warp_.index() < warps() ? parts[warp_.index()] : parts[0]);
    }
    __device__ void synchronize() const { __syncthreads(); }

private:
    __device__ std::int64_t warps() const { return blockDim.x / 32; }
    // The first barrier keeps a second reduction from overwriting what a slow warp still reads.
    template <class T>
    __device__ void share(T* parts, T value) const {
        __syncthreads();
        if (warp_.index() == 0) {
            parts[threadIdx.x / 32] = value;
        }
        __syncthreads();
    }

    WarpTeam warp_;
};

// The threads of a block with one threadIdx.x: neighbours in x work at neighbouring columns, so
// that each access of a warp is one piece of memory. Beyond the last column a team takes part in
// the reductions, but no element is its and none of its threads is the first.
class ColumnTeam {
public:
    __device__ explicit ColumnTeam(bool has_column) : has_column_(has_column) {}
    __device__ std::int64_t index() const { return has_column_ ? threadIdx.y : beyond; }
    __device__ std::int64_t size() const { return blockDim.y; }
    __device__ float sum(float value) const {
        return reduced(value, [](float a, float b) { return a + b; });
    }
    __device__ float maximum(float value) const {
        return reduced(value, [](float a, float b) { return fmaxf(a, b); });
    }
    __device__ std::int64_t minimum(std::int64_t value) const {
        return reduced(value, [](std::int64_t a, std::int64_t b) { return b < a ? b : a; });
    }
    __device__ void synchronize() const { __syncthreads(); }

private:
    template <class T, class Combine>
    __device__ T reduced(T value, Combine combine) const {
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

    static constexpr std::int64_t beyond = std::int64_t{1} << 62;
    bool has_column_;
};

#endif

}  // namespace strata::cuda
