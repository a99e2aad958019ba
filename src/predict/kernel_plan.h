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
    Seconds time;                       // per run, modelled: predict/gemm.h, or traffic of streams
};

// Algorithms with known accesses.
enum class PlannedConvolution { implicit_gemm, winograd };
inline constexpr std::array<std::string_view, 2> names_of(PlannedConvolution) {
    return {"implicit-gemm", "winograd"};
}

// How a GPU's library would do a pass of a layer in fp32: products in tiles, convolutions as
// implicit products or by Winograd's F(4x4, 3x3) with separate transforms, pooling and
// normalisation across channels by windows, attention by two products and a softmax, recurrent
// layers step by step, and everything else as streams over its operands. None if nothing moves.
//
// Layouts are dense, N C H W. For a strided convolution's backward_data, one phase of the stride is
// planned; it runs as often as there are phases. Throws Error if the operator's or type's accesses
// are not known, and if the device is not a GPU or lacks a number.
std::vector<KernelPlan> plan_kernels(const Op& op, const Signature& signature, Pass pass,
                                     PlannedConvolution convolution,
                                     const DeviceDescription& device, const DeviceRates& rates);

// Whether loads bypass the first-level cache, as on Kepler, unless set otherwise.
bool bypasses_l1(const DeviceDescription& device);

// The caches available to a kernel. If shared memory is part of the first-level cache (since
// Volta), the share used by resident blocks is subtracted. Throws Error if the device has no L2
// cache, has no L1 cache that is not bypassed, or has more than 65,536 processors.
GpuMemory memory_of(const DeviceDescription& device, const KernelPlan& kernel, bool bypass_l1);

}  // namespace strata
