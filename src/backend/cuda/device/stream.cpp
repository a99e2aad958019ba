// SPDX-License-Identifier: MIT
#include "backend/cuda/device/stream.h"

#include "backend/cuda/device/trouble.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace strata::cuda {

Stream::Stream() {
    require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                 "making a stream on the GPU");
}

Stream::~Stream() {
    if (settle()) {
        cudaStreamDestroy(stream_);
    }
}

// "Not ready" if it still is when the limit has passed.
cudaError_t Stream::poll() const noexcept {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(limit.value));
    cudaError_t answer = cudaStreamQuery(stream_);
    while (answer == cudaErrorNotReady) {
        if (Clock::now() > end) {
            give_up_device();
            return answer;
        }
        (void)cudaGetLastError();  // "not ready" is not an error
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        answer = cudaStreamQuery(stream_);
    }
    return answer;
}

void Stream::wait(std::string_view doing) const {
    const cudaError_t answer = device_hangs() ? cudaErrorNotReady : poll();
    require_device(doing);
    require_cuda(answer, doing);
}

void Stream::require_device(std::string_view doing) const {
    if (device_hangs()) {
        throw DeviceError(
            DeviceTrouble::timed_out,
            fmt::format(
                "{}: work on the GPU has not ended after {:.4g} s: a kernel hangs, or it is "
                "slow and needs a longer --device-timeout",
                doing, limit.value));
    }
}

bool Stream::settle() const noexcept {
    if (!device_hangs() && !is_recording && poll() != cudaErrorNotReady) {
        (void)cudaGetLastError();  // already reported to whoever waited for this work
    }
    return !device_hangs();
}

}  // namespace strata::cuda
