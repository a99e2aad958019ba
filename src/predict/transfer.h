// SPDX-License-Identifier: MIT
#pragma once

#include "predict/rates.h"

#include <span>
#include <string_view>

namespace strata {

// The library that a device runs, as far as its maker tells: rates of "nvidia" say nothing about
// "amd". Empty of devices whose makers are not known.
std::string_view maker_of(const DeviceDescription& device);

// Rates as another device would reach them, by what its description says beside the first one's:
// latencies with the clock, bandwidths with those that are stated or assumed. What is relative to
// the description, and what the host takes to launch, stays.
GemmRates moved(GemmRates rates, const DeviceDescription& from, const DeviceDescription& to);
StreamingRates moved(StreamingRates rates, const DeviceDescription& from,
                     const DeviceDescription& to);

// Whether rates of the row's class say something about other devices: those of products,
// convolutions and operators that read and write their tensors once.
bool can_move(const ProblemRow& row);

// The row with its kernel called by what kernels of all generations share, the tile: "128x64" for
// "volta_sgemm_128x64_tn".
ProblemRow with_general_kernel(ProblemRow row);

// A device's rates for a class of problems, fitted to its rows on other devices only, so that they
// hold for a device on which nothing was measured. Of many rows some are taken, evenly, so that it
// takes seconds. The names of kernels are general. Requires: the rows are of one class that can
// move, measured, and of described devices of the same maker.
DeviceRates fit_elsewhere(std::span<const ProblemRow* const> rows, const DeviceDescription& device);

}  // namespace strata
