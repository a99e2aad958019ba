// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"

#include <string_view>

namespace strata::cuda {

// Does nothing for code 0 (cudaSuccess); otherwise throws DeviceError: what was being done, the
// runtime's message, the fix.
void require_cuda(int code, std::string_view doing);

// The same for cuDNN (cudnnStatus_t) and cuBLAS (cublasStatus_t).
void require_cudnn(int status, std::string_view doing);
void require_cublas(int status, std::string_view doing);

}  // namespace strata::cuda
