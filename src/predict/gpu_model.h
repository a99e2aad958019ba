// SPDX-License-Identifier: MIT
#pragma once

#include "predict/gpu_rates.h"

#include <memory>

namespace strata {

// A GPU: products by tiles in waves (predict/gemm.h), whatever else by what it moves
// (predict/streaming.h).
//
// A convolution is an implicit product, a recurrent layer is computed step by step, attention
// writes its scores. What moves is the compulsory traffic of the operator's pass; a normalisation
// by the batch's statistics reads its input once more. The first kernel of a pass has the launch
// that its rates were fitted with, which includes what a framework adds, and those that follow at
// once a queued kernel's.
std::unique_ptr<DeviceModel> gpu_model(Gpu gpu);

}  // namespace strata
