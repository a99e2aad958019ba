// SPDX-License-Identifier: MIT
#pragma once

#include "predict/device_model.h"
#include "predict/instructions.h"
#include "simulate/hierarchy.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace strata {

// A library's kernel for a pass of a layer, described by its memory accesses and instructions.
struct KernelPlan {
    std::string name;  // "implicit product 128x64"
    std::unique_ptr<KernelAccesses> accesses;
    double runs = 1;                    // number of equal runs: the phases of a stride
    int warps = 8;                      // per block
    std::uint32_t resident_blocks = 1;  // per processor
    Bytes shared_memory;                // per block
    bool has_loop = false;              // it computes while the next step's loads are in flight
    Instructions instructions;          // per run
    double steps = 1;                   // per block
    Seconds time;                       // per run: the predicted kernel's, or its part of that
};

// Whether the accesses of a convolution's algorithm are known: implicit products, and Winograd's
// F(4x4, 3x3) with separate transforms.
bool has_known_accesses(const LayerConvolution& convolution);

// How a GPU's library runs a predicted kernel of a pass in fp32, in the tiles of the prediction:
// products; convolutions as implicit products or, if they were predicted so, by Winograd; pooling
// and normalisation across channels by windows; sequences step by step; everything else as streams.
// Several kernels if the prediction sums them up: Winograd's transforms, the sum of splits, a
// cell's operations.
//
// Layouts are dense, N C H W. For a strided convolution's backward_data, one phase of the stride is
// planned; it runs as often as filters reach phases. Throws Error if the operator's or type's
// accesses are not known, and if the device is not a GPU or lacks a number.
std::vector<KernelPlan> plan_kernel(const LayerTask& task, const KernelPrediction& predicted,
                                    const DeviceDescription& device);

// Whether loads bypass the first-level cache, as on Kepler, unless set otherwise.
bool bypasses_l1(const DeviceDescription& device);

// The caches available to a kernel. If shared memory is part of the first-level cache (since
// Volta), the share used by resident blocks is subtracted. Throws Error if the device has no L2
// cache, has no L1 cache that is not bypassed, or has more than 65,536 processors.
GpuMemory memory_of(const DeviceDescription& device, const KernelPlan& kernel, bool bypass_l1);

}  // namespace strata
