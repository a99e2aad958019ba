// SPDX-License-Identifier: MIT
#include "backend/cuda/device/integers.h"

#include "backend/cuda/device/trouble.h"

#include <vector>

namespace strata::cuda {

Memory repeated_integer(const Queue& queue, std::int64_t value, std::int64_t times) {
    const std::vector<std::int32_t> values(static_cast<std::size_t>(times),
                                           static_cast<std::int32_t>(value));
    const std::size_t bytes = values.size() * sizeof(std::int32_t);
    Memory memory = queue.allocate(bytes);
    queue.work->wait("writing integers that a library reads");  // the copy may wait for it
    require_cuda(
        cudaMemcpyAsync(memory.get(), values.data(), bytes, cudaMemcpyHostToDevice, queue.stream),
        "writing integers that a library reads");
    queue.work->wait("writing integers that a library reads");
    return memory;
}

}  // namespace strata::cuda
