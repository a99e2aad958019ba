// SPDX-License-Identifier: MIT
#pragma once

#include "predict/rates.h"

#include <span>
#include <string_view>

namespace strata {

// The maker whose libraries a device runs: rates of "nvidia" say nothing about "amd". Empty if it
// is not known.
std::string_view maker_of(const DeviceDescription& device);

// Rates converted from one device to another by their descriptions: latencies by clock, bandwidths
// by the stated or assumed ones. Rates relative to the description and the host's launch time stay
// unchanged.
GemmRates moved(GemmRates rates, const DeviceDescription& from, const DeviceDescription& to);
StreamingRates moved(StreamingRates rates, const DeviceDescription& from,
                     const DeviceDescription& to);

// Whether rates of the row's class say something about other devices: true for products,
// convolutions and operators that read and write their tensors once.
bool can_move(const ProblemRow& row);

// The row with its kernel named by the part that all generations share, the tile: "128x64" for
// "volta_sgemm_128x64_tn".
ProblemRow with_general_kernel(ProblemRow row);

// A device's rates for a class of problems, fitted only to rows of other devices, so they apply to
// a device without measurements. If there are many rows, an even sample is used, so it takes
// seconds. Kernel names are generic. Requires: measured rows of one transferable class, from
// described devices of the same maker.
DeviceRates fit_elsewhere(std::span<const ProblemRow* const> rows, const DeviceDescription& device);

}  // namespace strata
