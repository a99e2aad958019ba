// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/machine.h"
#include "backend/device_watch.h"
#include "base/quantity.h"
#include "graph/execution.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <cstddef>
#include <string_view>

namespace strata::cuda {

// A stream, and the limit of every wait for it. Waits poll, because a blocking call would never
// return from a kernel that hangs.
class Stream {
public:
    // Throws DeviceError.
    Stream();
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    cudaStream_t get() const { return stream_; }

    // Waits until its work has ended. Throws DeviceError if the work failed, or, as timed_out, if
    // it takes longer than the limit; device_hangs() is true then.
    void wait(std::string_view doing) const;

    // Throws DeviceError as `wait` does if the device was given up. Called before each call that
    // does not wait.
    void require_device(std::string_view doing) const;

    // Waits in the same way before something is destroyed. Returns whether CUDA may be called: not
    // if the work hangs.
    bool settle() const noexcept;

    Seconds limit = Scheduling{}.device_timeout;
    // While the stream's work is recorded, it does not run, and nothing can be asked about it.
    bool is_recording = false;

private:
    cudaError_t poll() const noexcept;

    cudaStream_t stream_ = nullptr;
};

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
