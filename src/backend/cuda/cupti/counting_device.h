// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::cuda {

// A device whose counters may be read, and what it lets be counted.
struct CountingDevice {
    void* context = nullptr;  // CUcontext
    std::string chip = {};    // "GH100"
    std::vector<std::uint8_t> availability = {};
};

// The device of the current CUDA context. Throws ProfilerError that says what forbids counting.
// Requires: where there is a GPU, its context has been made.
CountingDevice open_counting_device(int device = 0);

}  // namespace strata::cuda
