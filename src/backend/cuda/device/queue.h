// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <cstddef>

namespace strata::cuda {

// Where a library call puts its work: one stream, the libraries' handles on it, and scratch memory
// that calls use one after the other. Owned by the GPU machine.
struct Queue {
    cudaStream_t stream = nullptr;
    cudnnHandle_t cudnn = nullptr;
    cublasLtHandle_t cublas = nullptr;
    void* workspace = nullptr;
    std::size_t workspace_bytes = 0;
    // Memory that a call keeps from one time to the next, zero until written; while settling.
    std::function<Memory(std::size_t bytes)> allocate = {};
};

}  // namespace strata::cuda
