// SPDX-License-Identifier: MIT
#pragma once

#include "device/description.h"

#include <array>
#include <string_view>

namespace strata {

// The arithmetic of multiply-adds. 16-bit operands whose products are added in fp32 count as f16 or
// bf16; numbers that are only stored in 16 bits are f32 with elements of two bytes.
enum class Arithmetic { f32, tf32, f16, bf16, f8, i8 };
inline constexpr std::array<std::string_view, 6> names_of(Arithmetic) {
    return {"f32", "tf32", "f16", "bf16", "f8", "i8"};
}

// The device's peak at its highest clock. fp32 follows from processors, lanes and clock, which
// --set can change; the others are as stated. GeForce boards of Pascal have a 64th of the fp32 rate
// in fp16 (NVIDIA, CUDA C++ programming guide, throughput of native arithmetic instructions). On
// TPUs, products of fp32 numbers are computed in bf16, XLA's default. Throws Error that names what
// the description lacks.
FlopRate peak_of(const DeviceDescription& device, Arithmetic arithmetic);

// Whether the device computes it in matrix units (tensor cores, systolic arrays): never fp32, the
// 16-bit types since Volta.
bool has_matrix_units(const DeviceDescription& device, Arithmetic arithmetic);

// The share of the fp32 peak that products can sustain, before any kernel's own efficiency:
//
//   clock = min(1, ((1 - idle) power / (joule_per_flop peak))^(1/2)), idle = 0.2
//
// The form assumes that power grows with about the square of the clock, up to the limit. The
// constants are strata's choices, not published values. `joule_per_flop` at the highest clock, by
// architecture: 16 pJ (Pascal), so that a P4 sustains a little more than its best products reach
// (.76); 14.2 pJ (Volta, Turing), so that the V100 PCIe is only just not limited; 11.6 pJ (Ampere),
// an A100 with room; 6 pJ (since Ada), so that boards of 70 W sustain about half their clock. Since
// Ampere, processors of 128 lanes are assumed to sustain another factor of .75, a guess. Only the
// ratio of two devices' shares is used: a rate fitted on a device contains its share. 1 if no power
// is stated, and before Pascal.
double sustained_share(const DeviceDescription& device);

}  // namespace strata
