// SPDX-License-Identifier: MIT
#include "backend/cuda/values.h"

#include "base/error.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>

namespace strata::cuda {

namespace {

// Calls visit(row-major index, index in memory) for every element.
template <class Visit>
void each_element(const Dims& dims, Order order, const Visit& visit) {
    const Dims strides = strides_of(dims, order);
    Dims index(dims.size(), 0);
    const std::int64_t count = product(dims);
    std::int64_t place = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        visit(static_cast<std::size_t>(i), static_cast<std::size_t>(place));
        for (std::size_t axis = dims.size(); axis-- > 0;) {
            place += strides[axis];
            if (++index[axis] < dims[axis]) {
                break;
            }
            place -= strides[axis] * dims[axis];
            index[axis] = 0;
        }
    }
}

template <class T>
void put(std::byte* bytes, std::size_t place, T value) {
    std::memcpy(bytes + place * sizeof(T), &value, sizeof(T));
}

template <class T>
T get(const std::byte* bytes, std::size_t place) {
    T value;
    std::memcpy(&value, bytes + place * sizeof(T), sizeof(T));
    return value;
}

}  // namespace

void store_element(void* memory, std::int64_t at, ElementType type, float value) {
    auto* bytes = static_cast<std::byte*>(memory);
    const auto place = static_cast<std::size_t>(at);
    switch (type) {
        case ElementType::f16:
            return put(bytes, place, __float2half_rn(value));
        case ElementType::bf16:
            return put(bytes, place, __float2bfloat16_rn(value));
        case ElementType::f32:
            return put(bytes, place, value);
    }
}

float load_element(const void* memory, std::int64_t at, ElementType type) {
    const auto* bytes = static_cast<const std::byte*>(memory);
    const auto place = static_cast<std::size_t>(at);
    switch (type) {
        case ElementType::f16:
            return __half2float(get<__half>(bytes, place));
        case ElementType::bf16:
            return __bfloat162float(get<__nv_bfloat16>(bytes, place));
        case ElementType::f32:
            break;
    }
    return get<float>(bytes, place);
}

std::vector<std::byte> encode(std::span<const float> values, const Dims& dims, Format format) {
    check(std::ssize(values) == product(dims), "one value for each element");
    std::vector<std::byte> bytes(values.size() * size_in_bytes(format.type));
    each_element(dims, format.order, [&](std::size_t i, std::size_t place) {
        store_element(bytes.data(), static_cast<std::int64_t>(place), format.type, values[i]);
    });
    return bytes;
}

HostValues decode(std::span<const std::byte> bytes, const Dims& dims, Format format) {
    HostValues values(bytes.size() / size_in_bytes(format.type));
    check(std::ssize(values) == product(dims), "one value for each element");
    each_element(dims, format.order, [&](std::size_t i, std::size_t place) {
        values[i] = load_element(bytes.data(), static_cast<std::int64_t>(place), format.type);
    });
    return values;
}

}  // namespace strata::cuda
