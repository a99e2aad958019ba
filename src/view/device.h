// SPDX-License-Identifier: MIT
#pragma once

#include "device/device.h"
#include "report/document.h"

namespace strata {

// A device's ceilings, each with its source:
//
//   ceiling        at most       capacity  source
//   f32 peak       182 GFLOP/s             measured 2026-11-21 by strata calibrate
//   L2 bandwidth   410 GB/s      4.19 MB   ...
// The columns, because display flags are checked before anything is measured.
std::vector<Column> device_columns();

Document device_document(const Device& device);

// The same, with the changes made by a new calibration: "better: 3.1 % higher", "kept: 12.0 % lower
// this time".
Document device_document(const BestOfBoth& best);

}  // namespace strata
