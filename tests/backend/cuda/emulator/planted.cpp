// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/emulator/planted.h"

#include <cuda_runtime.h>

namespace strata::testing {

namespace {

struct Arguments {
    const float* from;
    float* to;
    int count;
};

__device__ int number() {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

template <bool first_barrier, bool second_barrier>
__global__ void block_sum(Arguments at) {
    __shared__ float parts[1024];
    for (int round = 0; round < 2; ++round) {
        parts[threadIdx.x] = at.from[number()];
        if constexpr (first_barrier) {
            __syncthreads();
        }
        float sum = 0;
        for (unsigned i = 0; i < blockDim.x; ++i) {
            sum += parts[i];
        }
        if constexpr (second_barrier) {
            __syncthreads();
        }
        at.to[number()] = sum;
    }
}

__global__ void block_sum_of_some(Arguments at) {
    if (number() + 1 < at.count) {
        __syncthreads();
        at.to[number()] = at.from[number()];
    }
}

__global__ void two_barriers(Arguments) {
    if (threadIdx.x < 5) {
        __syncthreads();
    } else {
        __syncthreads();
    }
}

__device__ float sum_of_warp(unsigned mask, float value) {
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(mask, value, distance);
    }
    return value;
}

__global__ void warp_sum(Arguments at) {
    at.to[number()] = sum_of_warp(~0U, at.from[number()]);
}

__global__ void warp_sum_after_exit(Arguments at) {
    if (threadIdx.x == 7) {
        return;
    }
    at.to[number()] = sum_of_warp(~0U, at.from[number()]);
}

__global__ void shuffle(Arguments at, unsigned mask, int source) {
    at.to[number()] = __shfl_sync(mask, at.from[number()], source);
}

template <bool barrier>
__global__ void neighbour(Arguments at) {
    __shared__ float kept[32];
    kept[threadIdx.x] = at.from[number()];
    if constexpr (barrier) {
        __syncwarp();
    }
    at.to[number()] = kept[threadIdx.x ^ 1U];
}

__global__ void votes(Arguments at) {
    const unsigned odd = __ballot_sync(~0U, static_cast<int>(threadIdx.x % 2));
    at.to[number()] = odd == 0xaaaaaaaaU ? 1 : 0;
}

__global__ void shift_down(Arguments at) {
    at.to[number()] = __shfl_down_sync(~0U, at.from[number()], 3);
}

__global__ void unwritten_shared(Arguments at) {
    __shared__ float parts[64];
    if (threadIdx.x != 3) {
        parts[threadIdx.x] = 1;
    }
    __syncthreads();
    at.to[number()] = parts[threadIdx.x];
}

__global__ void beyond_shared(Arguments at) {
    __shared__ float parts[8];
    parts[threadIdx.x] = at.from[number()];
    at.to[number()] = parts[threadIdx.x];
}

__global__ void move(Arguments at, int read, int write) {
    at.to[number() + write] = at.from[number() + read];
}

__global__ void misaligned(Arguments at) {
    *reinterpret_cast<float4*>(at.to) = *reinterpret_cast<const float4*>(at.from + 1);
}

__global__ void sum_atomically(Arguments at) {
    atomicAdd(at.to, at.from[number()]);
}

__global__ void sum_by_stores(Arguments at) {
    if (threadIdx.x == 0) {
        *at.to += at.from[number()];
    }
}

__global__ void mixed_sum(Arguments at) {
    if (number() == 0) {
        *at.to = at.from[0];
    } else {
        atomicAdd(at.to, at.from[number()]);
    }
}

__global__ void grid_of_three_axes(Arguments at) {
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned i = block * blockDim.x * blockDim.y * blockDim.z + thread;
    at.to[i] = at.from[i];
}

struct Launcher {
    dim3 blocks;
    dim3 threads;
    Arguments at;

    template <class... Parameters>
    void operator()(void (*kernel)(Arguments, Parameters...), Parameters... more) {
        void* arguments[] = {&at, &more...};
        cudaLaunchKernel(kernel, blocks, threads, arguments, 0, nullptr);
    }
};

}  // namespace

void launch_planted(Planted which, dim3 blocks, dim3 threads, const float* from, float* to,
                    int count) {
    Launcher launch = {blocks, threads, {from, to, count}};
    switch (which) {
        case Planted::block_sum:
            return launch(&block_sum<true, true>);
        case Planted::block_sum_without_barrier:
            return launch(&block_sum<false, true>);
        case Planted::block_sum_without_second_barrier:
            return launch(&block_sum<true, false>);
        case Planted::block_sum_of_some:
            return launch(&block_sum_of_some);
        case Planted::two_barriers:
            return launch(&two_barriers);
        case Planted::warp_sum:
        case Planted::warp_sum_of_all:
            return launch(&warp_sum);
        case Planted::warp_sum_after_exit:
            return launch(&warp_sum_after_exit);
        case Planted::shuffle_without_self:
            return launch(&shuffle, 0xfffffffeU, 1);
        case Planted::shuffle_from_outside:
            return launch(&shuffle, 0x0000ffffU, 20);
        case Planted::neighbour_by_warp_barrier:
            return launch(&neighbour<true>);
        case Planted::neighbour_without_barrier:
            return launch(&neighbour<false>);
        case Planted::votes:
            return launch(&votes);
        case Planted::shift_down:
            return launch(&shift_down);
        case Planted::unwritten_shared:
            return launch(&unwritten_shared);
        case Planted::beyond_shared:
            return launch(&beyond_shared);
        case Planted::beyond_buffer:
            return launch(&move, 1, 0);
        case Planted::before_buffer:
            return launch(&move, 0, -1);
        case Planted::misaligned:
            return launch(&misaligned);
        case Planted::sum_atomically:
            return launch(&sum_atomically);
        case Planted::sum_by_stores:
            return launch(&sum_by_stores);
        case Planted::mixed_sum:
            return launch(&mixed_sum);
        case Planted::grid_of_three_axes:
            return launch(&grid_of_three_axes);
    }
}

}  // namespace strata::testing
