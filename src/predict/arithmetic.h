// SPDX-License-Identifier: MIT
#pragma once

#include "device/description.h"

#include <array>
#include <string_view>

namespace strata {

// What multiply-adds compute in. 16-bit operands whose products are added in fp32 count as f16 or
// bf16; numbers that are only stored in 16 bits are f32 with elements of two bytes.
enum class Arithmetic { f32, tf32, f16, bf16 };
inline constexpr std::array<std::string_view, 4> names_of(Arithmetic) {
    return {"f32", "tf32", "f16", "bf16"};
}

// The device's peak, at its highest clock: fp32 from processors, lanes and clock, which --set can
// change, the others as stated. GeForce boards of Pascal have a 64th of the fp32 rate in fp16
// (NVIDIA, CUDA C++ programming guide, throughput of native arithmetic instructions). On TPUs
// products of fp32 numbers are computed in bf16, as XLA does unless told otherwise. Throws Error
// that names what the description lacks.
FlopRate peak_of(const DeviceDescription& device, Arithmetic arithmetic);

// Whether the device computes it in matrix units (tensor cores, systolic arrays): fp32 never, the
// 16-bit types from Volta on.
bool has_matrix_units(const DeviceDescription& device, Arithmetic arithmetic);

// The share of the fp32 peak that products can sustain, before any kernel's own efficiency:
//
//   clock = min(1, ((1 - idle) power / (joule_per_flop peak))^(1/2)), idle = 0.2
//
// for what arithmetic draws falls with the square of the clock, about, and power is limited: boards
// of 70 W run at .55 to .65 of their highest clock. `joule_per_flop` is that of the process a chip
// is made in: 16 pJ (Pascal, from a P4 whose products reach .76 of its peak), 17.6 (Volta, Turing,
// from a V100 PCIe that loses a tenth in products of 30 ms), 11.6 (Ampere), 6 (from Ada on). From
// Ampere on processors of 128 lanes sustain another .75 (gpu-benches: 42.5 of 67 TFLOP/s on a
// GH200). 1 where no power is stated, and before Pascal.
double sustained_share(const DeviceDescription& device);

}  // namespace strata
