// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

// Runs our kernels' own sources without a GPU, thread by thread, each on its own stack, and finds
// what a GPU may hide: barriers and shuffles that some threads miss, accesses that no barrier
// orders, accesses beyond a buffer, shared memory that is read before it is written, launches that
// no GPU accepts. It knows nothing of time, caches, instructions or rounding of the GPU.
//
// Kernels are compiled as C++ with the calls of the thread sanitizer before every access to memory;
// the emulator is what they call (accesses.cpp). A block's threads run one at a time until they
// wait, blocks one after another: an access is a race if nothing orders it, whatever happened.
namespace strata::testing {

// An error of a kernel or a launch. One sentence: kernel, block, thread and what it does.
class KernelFault : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

// While it exists, launched kernels have this name and may access only this memory of the device.
class LaunchScope {
public:
    LaunchScope(std::string kernel, std::vector<std::span<const std::byte>> memory);
    ~LaunchScope();
    LaunchScope(const LaunchScope&) = delete;
    LaunchScope& operator=(const LaunchScope&) = delete;
};

}  // namespace strata::testing
