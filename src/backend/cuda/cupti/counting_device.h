// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::cuda {

// A device whose counters may be read, and the counters that it makes available.
struct CountingDevice {
    void* context = nullptr;  // CUcontext
    std::string chip = {};    // "GH100"
    std::vector<std::uint8_t> availability = {};
};

// The device of the current CUDA context. Throws ProfilerError that says what forbids counting.
// Requires: if there is a GPU, its context exists.
CountingDevice open_counting_device(int device = 0);

}  // namespace strata::cuda
