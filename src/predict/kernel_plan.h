// SPDX-License-Identifier: MIT
#pragma once

#include "device/description.h"
#include "op/op.h"
#include "predict/gemm.h"
#include "predict/instructions.h"
#include "predict/rates.h"
#include "simulate/hierarchy.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace strata {

// A kernel that a library would run for a pass of a layer, as far as memory and instructions go.
struct KernelPlan {
    std::string name;  // "implicit product 128x64"
    std::unique_ptr<KernelAccesses> accesses;
    double runs = 1;                    // as many, each like this one: the phases of a stride
    int warps = 8;                      // of a block
    std::uint32_t resident_blocks = 1;  // of a processor
    Bytes shared_memory;                // of a block
    bool has_loop = false;              // loads of its next step are under way while it computes
    Instructions instructions;          // of a run
    double steps = 1;                   // of a block
    Seconds time;                       // of a run, modelled: predict/gemm.h, or traffic of streams
};

// Algorithms whose accesses are known.
enum class PlannedConvolution { implicit_gemm, winograd };
inline constexpr std::array<std::string_view, 2> names_of(PlannedConvolution) {
    return {"implicit-gemm", "winograd"};
}

// How a GPU's library would do a pass of a layer in fp32: products in tiles, convolutions as
// implicit products or by Winograd's F(4x4, 3x3) with transforms of their own, pooling and
// normalisation across channels by windows, attention by two products and a softmax, recurrent
// layers step by step, and everything else as streams over its operands. None for what moves
// nothing.
//
// Layouts are dense, N C H W. Of a strided convolution's backward_data one phase of the stride is
// planned, and runs as often as there are phases. Throws Error for operators and types whose
// accesses are not known, and for a device that is no GPU or lacks a number.
std::vector<KernelPlan> plan_kernels(const Op& op, const Signature& signature, Pass pass,
                                     PlannedConvolution convolution,
                                     const DeviceDescription& device, const DeviceRates& rates);

// Whether loads pass by the first-level cache, as on Kepler, unless told otherwise.
bool bypasses_l1(const DeviceDescription& device);

// The caches that a kernel has. Where shared memory is a part of the first-level cache (since
// Volta), what resident blocks use of it is missing there. Throws Error for a device without an L2
// cache, without an L1 cache that is not bypassed, or with more than 65,536 processors.
GpuMemory memory_of(const DeviceDescription& device, const KernelPlan& kernel, bool bypass_l1);

}  // namespace strata
