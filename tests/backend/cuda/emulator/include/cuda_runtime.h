// SPDX-License-Identifier: MIT
#pragma once

// Found before CUDA's header of this name, it makes a kernel's source C++ for the emulator. It
// lacks what none of our kernels uses.

#include "tests/backend/cuda/emulator/device.h"

#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <bit>
#include <cmath>
#include <source_location>
#include <type_traits>
#include <utility>

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __launch_bounds__
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(threads)

#define threadIdx (::strata::testing::index_of_thread())
#define blockIdx (::strata::testing::index_of_block())
#define blockDim (::strata::testing::threads_of_block())
#define gridDim (::strata::testing::blocks_of_grid())

inline void __syncthreads(std::source_location at = std::source_location::current()) {
    strata::testing::wait_for_block(at);
}

inline void __syncwarp(unsigned mask = ~0U,
                       std::source_location at = std::source_location::current()) {
    strata::testing::wait_for_warp(mask, at);
}

namespace strata::testing {

// A value of 4 or 8 bytes from another lane of the warp, like the GPU's shuffles.
template <class T>
T shuffled(unsigned mask, T value, unsigned source, const std::source_location& at) {
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    static_assert(std::is_arithmetic_v<T> && sizeof(T) == sizeof(Bits));
    return std::bit_cast<T>(
        static_cast<Bits>(exchange(mask, std::bit_cast<Bits>(value), source, at)));
}

template <class... Parameters, std::size_t... number>
[[gnu::no_sanitize_thread]] void call_with(void (*kernel)(Parameters...), void** arguments,
                                           std::index_sequence<number...>) {
    kernel(*static_cast<Parameters*>(arguments[number])...);
}
template <class... Parameters>
[[gnu::no_sanitize_thread]] void call_kernel(const void* kernel, void** arguments) {
    call_with(reinterpret_cast<void (*)(Parameters...)>(kernel), arguments,
              std::index_sequence_for<Parameters...>());
}

}  // namespace strata::testing

template <class T>
T __shfl_sync(unsigned mask, T value, int lane,
              std::source_location at = std::source_location::current()) {
    return strata::testing::shuffled(mask, value, static_cast<unsigned>(lane) % 32, at);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int distance,
                  std::source_location at = std::source_location::current()) {
    const unsigned lane = strata::testing::lane_of_thread() ^ static_cast<unsigned>(distance);
    return strata::testing::shuffled(mask, value, lane, at);
}
// A lane whose source is beyond the warp keeps its own value.
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance,
                   std::source_location at = std::source_location::current()) {
    const unsigned own = strata::testing::lane_of_thread();
    return strata::testing::shuffled(mask, value, own + distance < 32 ? own + distance : own, at);
}
inline unsigned __ballot_sync(unsigned mask, int predicate,
                              std::source_location at = std::source_location::current()) {
    return strata::testing::vote(mask, predicate != 0, at);
}

inline float atomicAdd(float* sum, float value) {
    return strata::testing::add_atomically(sum, value);
}
inline float rsqrtf(float value) {
    return 1 / std::sqrt(value);
}
inline float __uint_as_float(unsigned bits) {
    return std::bit_cast<float>(bits);
}
inline void __stcg(float4* to, const float4& value) {
    *to = value;
}

// CUDA's template of this name, which launches a kernel by its own type.
template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                             void** arguments, std::size_t, cudaStream_t) {
    strata::testing::launch_emulated({reinterpret_cast<const void*>(kernel),
                                      &strata::testing::call_kernel<Parameters...>, arguments,
                                      blocks, threads});
    return cudaSuccess;
}
