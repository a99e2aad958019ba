// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/format.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace strata::cuda {

// A few elements side by side, which a thread moves at once: one or two 16-byte accesses.
struct Pack {
    static constexpr int size = 8;
    float at[size];
};

// Elements in memory, read and written as float whatever they are stored as. The type is the same
// for a whole launch, so the branch costs next to nothing beside the access.
class Elements {
public:
    Elements() = default;
    __host__ __device__ Elements(void* begin, ElementType type) : begin_(begin), type_(type) {}

    __host__ __device__ float load(std::int64_t i) const {
        switch (type_) {
            case ElementType::f16:
                return __half2float(static_cast<const __half*>(begin_)[i]);
            case ElementType::bf16:
                return __bfloat162float(static_cast<const __nv_bfloat16*>(begin_)[i]);
            default:
                return static_cast<const float*>(begin_)[i];
        }
    }
    __host__ __device__ void store(std::int64_t i, float value) const {
        switch (type_) {
            case ElementType::f16:
                static_cast<__half*>(begin_)[i] = __float2half_rn(value);
                return;
            case ElementType::bf16:
                static_cast<__nv_bfloat16*>(begin_)[i] = __float2bfloat16_rn(value);
                return;
            default:
                static_cast<float*>(begin_)[i] = value;
        }
    }

    // From element `i` on, which is a multiple of the pack's size.
    __host__ __device__ Pack load_pack(std::int64_t i) const {
        Pack pack;
        if (type_ == ElementType::f32 && is_aligned()) {
            const auto* from =
                reinterpret_cast<const float4*>(static_cast<const float*>(begin_) + i);
            const float4 low = from[0];
            const float4 high = from[1];
            pack = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        } else if (type_ != ElementType::f32 && is_aligned()) {
            const uint4 bits =
                *reinterpret_cast<const uint4*>(static_cast<const Half*>(begin_) + i);
            widen(bits.x, pack.at);
            widen(bits.y, pack.at + 2);
            widen(bits.z, pack.at + 4);
            widen(bits.w, pack.at + 6);
        } else {
            for (int j = 0; j < Pack::size; ++j) {
                pack.at[j] = load(i + j);
            }
        }
        return pack;
    }
    __host__ __device__ void store_pack(std::int64_t i, const Pack& pack) const {
        const float* p = pack.at;
        if (type_ == ElementType::f32 && is_aligned()) {
            auto* to = reinterpret_cast<float4*>(static_cast<float*>(begin_) + i);
            to[0] = {p[0], p[1], p[2], p[3]};
            to[1] = {p[4], p[5], p[6], p[7]};
        } else if (type_ != ElementType::f32 && is_aligned()) {
            *reinterpret_cast<uint4*>(static_cast<Half*>(begin_) + i) = {
                narrow(p), narrow(p + 2), narrow(p + 4), narrow(p + 6)};
        } else {
            for (int j = 0; j < Pack::size; ++j) {
                store(i + j, p[j]);
            }
        }
    }

    __host__ __device__ bool exists() const { return begin_ != nullptr; }

private:
    using Half = std::uint16_t;

    // A place in the midst of a buffer may begin anywhere.
    __host__ __device__ bool is_aligned() const {
        return reinterpret_cast<std::uintptr_t>(begin_) % 16 == 0;
    }
    // Two halves lie in one word, the first in its low bits.
    __host__ __device__ float widened(std::uint32_t half) const {
        if (type_ == ElementType::bf16) {
            return __bfloat162float(__ushort_as_bfloat16(static_cast<Half>(half)));
        }
        return __half2float(__ushort_as_half(static_cast<Half>(half)));
    }
    __host__ __device__ void widen(std::uint32_t bits, float* to) const {
        to[0] = widened(bits & 0xffffU);
        to[1] = widened(bits >> 16U);
    }
    __host__ __device__ std::uint32_t narrowed(float value) const {
        if (type_ == ElementType::bf16) {
            return __bfloat16_as_ushort(__float2bfloat16_rn(value));
        }
        return __half_as_ushort(__float2half_rn(value));
    }
    __host__ __device__ std::uint32_t narrow(const float* from) const {
        return narrowed(from[0]) | narrowed(from[1]) << 16U;
    }

    void* begin_ = nullptr;
    ElementType type_ = ElementType::f32;
};

}  // namespace strata::cuda
