// SPDX-License-Identifier: MIT
#include "backend/cuda/device/values.h"

#include "backend/cuda/device/trouble.h"
#include "base/error.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>
#include <vector>

namespace strata::cuda {

namespace {

// Calls visit(row-major index, index in memory) for every element.
template <class Visit>
void each_element(const Dims& dims, Order order, const Visit& visit) {
    const Dims strides = strides_of(dims, order);
    Dims index(dims.size(), 0);
    const std::int64_t count = product(dims);
    std::int64_t view = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        visit(static_cast<std::size_t>(i), static_cast<std::size_t>(view));
        for (std::size_t axis = dims.size(); axis-- > 0;) {
            view += strides[axis];
            if (++index[axis] < dims[axis]) {
                break;
            }
            view -= strides[axis] * dims[axis];
            index[axis] = 0;
        }
    }
}

template <class T>
void put(std::byte* bytes, std::size_t view, T value) {
    std::memcpy(bytes + view * sizeof(T), &value, sizeof(T));
}

template <class T>
T get(const std::byte* bytes, std::size_t view) {
    T value;
    std::memcpy(&value, bytes + view * sizeof(T), sizeof(T));
    return value;
}

}  // namespace

void store_element(void* memory, std::int64_t at, ElementType type, float value) {
    auto* bytes = static_cast<std::byte*>(memory);
    const auto view = static_cast<std::size_t>(at);
    switch (type) {
        case ElementType::f16:
            return put(bytes, view, __float2half_rn(value));
        case ElementType::bf16:
            return put(bytes, view, __float2bfloat16_rn(value));
        case ElementType::f32:
            return put(bytes, view, value);
    }
}

float load_element(const void* memory, std::int64_t at, ElementType type) {
    const auto* bytes = static_cast<const std::byte*>(memory);
    const auto view = static_cast<std::size_t>(at);
    switch (type) {
        case ElementType::f16:
            return __half2float(get<__half>(bytes, view));
        case ElementType::bf16:
            return __bfloat162float(get<__nv_bfloat16>(bytes, view));
        case ElementType::f32:
            break;
    }
    return get<float>(bytes, view);
}

std::vector<std::byte> encode(std::span<const float> values, const Dims& dims, Format format) {
    check(std::ssize(values) == product(dims), "one value for each element");
    std::vector<std::byte> bytes(values.size() * size_in_bytes(format.type));
    each_element(dims, format.order, [&](std::size_t i, std::size_t view) {
        store_element(bytes.data(), static_cast<std::int64_t>(view), format.type, values[i]);
    });
    return bytes;
}

HostValues decode(std::span<const std::byte> bytes, const Dims& dims, Format format) {
    HostValues values(bytes.size() / size_in_bytes(format.type));
    check(std::ssize(values) == product(dims), "one value for each element");
    each_element(dims, format.order, [&](std::size_t i, std::size_t view) {
        values[i] = load_element(bytes.data(), static_cast<std::int64_t>(view), format.type);
    });
    return values;
}

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
