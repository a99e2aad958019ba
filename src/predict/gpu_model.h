// SPDX-License-Identifier: MIT
#pragma once

#include "predict/gpu_rates.h"

#include <memory>

namespace strata {

// A GPU: products by tiles in waves (predict/gemm.h), convolutions by the algorithms of a library
// (predict/convolution.h), recurrent layers step by step (predict/recurrent.h), everything else by
// its traffic (predict/streaming.h).
//
// Convolutions with three axes are implicit products. Attention writes its scores unless layers are
// fused; then it is one kernel (predict/attention.h). Traffic is the compulsory traffic of the
// operator's pass; a normalisation by the batch's statistics reads its input once more. For a
// pass's first kernel, the host needs GpuRates::host or else the fitted launch
// (KernelPrediction::issue), including the framework's share. Each kernel has the gap to the one
// before it.
std::unique_ptr<DeviceModel> gpu_model(Gpu gpu);

}  // namespace strata
