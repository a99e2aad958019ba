// SPDX-License-Identifier: MIT
#pragma once

#include "predict/rates.h"

#include <span>

namespace strata {

// What fits and predictions of measured rows share.

// Products run in tiles on processors, whose lanes determine how fast caches are. Throws Error if
// the device lacks a peak or lanes.
void require_processors(const DeviceDescription& device, Arithmetic arithmetic);

// The time of a measured product: by its kernel, or by the fastest candidate.
Seconds predict_product(const GemmRow& row, std::span<const GemmKernel> candidates,
                        const DeviceDescription& device, const GemmRates& rates);

// The rates of a row's class before any measurement.
GemmRates prior_rates_of(const GemmRow& product, const DeviceDescription& device);
ConvolutionRates prior_of(const ProblemRow& row, const DeviceDescription& device);

// Requires: a row of this kind.
const ConvolutionRow& convolution_of(const ProblemRow& row);
const AttentionRow& attention_of(const ProblemRow& row);

}  // namespace strata
