// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"
#include "backend/cuda/device/stream.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <cstddef>

namespace strata::cuda {

// Where a library call enqueues its work: one stream, the libraries' handles on it, and scratch
// memory that calls use one after another. Owned by the GPU machine.
struct Queue {
    cudaStream_t stream = nullptr;      // of `work`
    std::shared_ptr<Stream> work = {};  // waits for it
    cudnnHandle_t cudnn = nullptr;
    cublasLtHandle_t cublas = nullptr;
    void* workspace = nullptr;
    std::size_t workspace_bytes = 0;
    // Memory that a call keeps between runs, initially zero. Only for use in `finalize`.
    std::function<Memory(std::size_t bytes)> allocate = {};
};

}  // namespace strata::cuda
