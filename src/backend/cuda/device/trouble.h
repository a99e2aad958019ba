// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"

#include <string_view>

namespace strata::cuda {

// Does nothing for code 0 (cudaSuccess); otherwise throws DeviceError: what was being done, the
// runtime's message, the fix.
void require_cuda(int code, std::string_view doing);

// Whether this code (cudaError_t) leaves the device unusable for the process.
bool is_sticky(int code);

// The same for cuDNN (cudnnStatus_t) and cuBLAS (cublasStatus_t). If the library failed because the
// device did, the error is the device's, not a refusal.
void require_cudnn(int status, std::string_view doing);
void require_cublas(int status, std::string_view doing);

}  // namespace strata::cuda
