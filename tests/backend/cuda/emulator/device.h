// SPDX-License-Identifier: MIT
#pragma once

#include <vector_types.h>

#include <cstdint>
#include <source_location>

// The functions that a kernel's source calls on the emulated device: include/cuda_runtime.h gives
// them CUDA's names. Only kernels may call them, except for the launch.
namespace strata::testing {

uint3 index_of_thread();
uint3 index_of_block();
uint3 threads_of_block();
uint3 blocks_of_grid();
unsigned lane_of_thread();

// Returns when every thread of the block has called it at the same place.
void wait_for_block(const std::source_location& at);
// These return when every lane of `mask` has called the same at the same place.
void wait_for_warp(unsigned mask, const std::source_location& at);
std::uint64_t exchange(unsigned mask, std::uint64_t value, unsigned source,
                       const std::source_location& at);
unsigned vote(unsigned mask, bool value, const std::source_location& at);

// Returns the previous sum.
float add_atomically(float* sum, float value);

struct EmulatedLaunch {
    const void* kernel = nullptr;
    void (*call)(const void* kernel, void** arguments) = nullptr;
    void** arguments = nullptr;
    dim3 blocks;
    dim3 threads;
};
// Runs all blocks, one after another. Throws KernelFault (emulator.h).
void launch_emulated(const EmulatedLaunch& launch);

}  // namespace strata::testing
