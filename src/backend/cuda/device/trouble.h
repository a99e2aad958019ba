// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"

#include <string_view>

namespace strata::cuda {

// Does nothing for code 0 (cudaSuccess); else throws DeviceError: what was being done, what the
// runtime says, what to do.
void require_cuda(int code, std::string_view doing);

// The same of cuDNN (cudnnStatus_t) and cuBLAS (cublasStatus_t).
void require_cudnn(int status, std::string_view doing);
void require_cublas(int status, std::string_view doing);

}  // namespace strata::cuda
