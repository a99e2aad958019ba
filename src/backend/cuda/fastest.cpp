// SPDX-License-Identifier: MIT
#include "backend/cuda/fastest.h"

#include "backend/cuda/device/trouble.h"
#include "backend/device_watch.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace strata::cuda {

namespace {

struct EventEnd {
    void operator()(cudaEvent_t event) const {
        if (!device_hangs()) {
            cudaEventDestroy(event);
        }
    }
};
using Event = std::unique_ptr<CUevent_st, EventEnd>;

Event make_event() {
    cudaEvent_t event = nullptr;
    require_cuda(cudaEventCreate(&event), "making a time stamp");
    return Event(event);
}

}  // namespace

std::size_t fastest_of(std::size_t count, const std::function<double(std::size_t)>& time_of) {
    std::size_t fastest = 0;
    double minimum = std::numeric_limits<double>::infinity();
    for (std::size_t way = 0; way < count; ++way) {
        try {
            const double time = time_of(way);
            fastest = time < minimum ? way : fastest;
            minimum = std::min(minimum, time);
        } catch (const DeviceError& error) {
            if (!is_refusal(error.trouble())) {
                throw;
            }
        }
    }
    return fastest;
}

double best_time(const Queue& queue, const std::function<void()>& enqueue) {
    constexpr int times = 3;
    const Event begin = make_event();
    const Event end = make_event();
    double minimum = std::numeric_limits<double>::infinity();
    enqueue();
    for (int i = 0; i < times; ++i) {
        require_cuda(cudaEventRecord(begin.get(), queue.stream), "stamping the time");
        enqueue();
        require_cuda(cudaEventRecord(end.get(), queue.stream), "stamping the time");
        queue.work->wait("trying what is fastest");
        float passed = 0;
        require_cuda(cudaEventElapsedTime(&passed, begin.get(), end.get()), "reading a time stamp");
        minimum = std::min(minimum, static_cast<double>(passed));
    }
    return minimum;
}

}  // namespace strata::cuda
