// SPDX-License-Identifier: MIT
#pragma once

#include "device/description.h"
#include "report/document.h"

#include <span>

namespace strata {

// Devices side by side, with peaks as stated or else derived from the clock:
//
//   name   model                   kind  processors  f32 peak    f16 peak    L2    bandwidth memory
//   v100   NVIDIA Tesla V100 SXM2  gpu           80  15.7 TFLOP/s …
Document descriptions_document(std::span<const DeviceDescription> devices);

// Everything known about one device, each number with its source; the numbers derived from others,
// and the stated numbers that others contradict; of a GPU also what is missing, and what a
// prediction does without it.
//
//   number      value         meaning                       source
//   processors  80            streaming multiprocessors …   NVIDIA Tesla V100 whitepaper, 2017
//   f32_peak_at_boost_clock  15.7 TFLOP/s  fp32 arithmetic  derived: 2 × processors × lanes × clock
Document description_document(const DeviceDescription& device);

}  // namespace strata
