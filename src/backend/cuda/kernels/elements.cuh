// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace strata::cuda {

// Calls use(0) ... use(Count - 1). A loop may stay a loop, and an array that it indexes is then in
// local memory instead of registers.
template <int Count, class Use>
__device__ void unrolled(const Use& use) {
    if constexpr (Count > 0) {
        unrolled<Count - 1>(use);
        use(Count - 1);
    }
}

// A few adjacent elements that a thread moves at once: one or two 16-byte accesses.
struct Pack {
    static constexpr int size = 8;
    float at[size];
};

// An element as it is stored, and a pack of them: 32 bytes of f32, or 16 of a narrow type in `low`.
using RawElement = std::uint32_t;
struct RawPack {
    uint4 low;
    uint4 high;
};

// Elements in memory, read and written as float whatever their storage type. The type is the same
// for a whole launch, so the branch costs little compared with the access. But a conversion waits
// for its element: code that reads several should load all of them raw before it converts the
// first.
class Elements {
public:
    Elements() = default;
    __host__ __device__ Elements(void* begin, ElementType type) : begin_(begin), type_(type) {}

    __device__ float load(std::int64_t i) const {
        switch (type_) {
            case ElementType::f16:
                return __half2float(static_cast<const __half*>(begin_)[i]);
            case ElementType::bf16:
                return __bfloat162float(static_cast<const __nv_bfloat16*>(begin_)[i]);
            default:
                return static_cast<const float*>(begin_)[i];
        }
    }
    __device__ void store(std::int64_t i, float value) const {
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

    __device__ RawElement load_raw(std::int64_t i) const {
        return type_ == ElementType::f32 ? static_cast<const std::uint32_t*>(begin_)[i]
                                         : static_cast<const Half*>(begin_)[i];
    }
    __device__ float value_of(RawElement raw) const {
        return type_ == ElementType::f32    ? as_float(raw)
               : type_ == ElementType::bf16 ? of_bf16(raw)
                                            : of_f16(raw);
    }

    // From element `i` on, which must be a multiple of the pack's size.
    __device__ RawPack load_raw_pack(std::int64_t i) const {
        RawPack raw = {};
        if (!is_aligned()) {
            gather(i, raw);
        } else if (type_ == ElementType::f32) {
            const auto* from =
                reinterpret_cast<const uint4*>(static_cast<const float*>(begin_) + i);
            raw.low = from[0];
            raw.high = from[1];
        } else {
            raw.low = *reinterpret_cast<const uint4*>(static_cast<const Half*>(begin_) + i);
        }
        return raw;
    }
    // One branch for the pack: eight would take longer than the pack itself.
    __device__ Pack values_of(const RawPack& raw) const {
        const uint4& low = raw.low;
        const uint4& high = raw.high;
        switch (type_) {
            case ElementType::f16:
                return {of_f16(low.x), of_f16(low.x >> 16U), of_f16(low.y), of_f16(low.y >> 16U),
                        of_f16(low.z), of_f16(low.z >> 16U), of_f16(low.w), of_f16(low.w >> 16U)};
            case ElementType::bf16:
                return {of_bf16(low.x), of_high_bf16(low.x), of_bf16(low.y), of_high_bf16(low.y),
                        of_bf16(low.z), of_high_bf16(low.z), of_bf16(low.w), of_high_bf16(low.w)};
            default:
                return {as_float(low.x),  as_float(low.y),  as_float(low.z),  as_float(low.w),
                        as_float(high.x), as_float(high.y), as_float(high.z), as_float(high.w)};
        }
    }
    __device__ Pack load_pack(std::int64_t i) const { return values_of(load_raw_pack(i)); }
    __device__ void store_pack(std::int64_t i, const Pack& pack) const {
        const float* p = pack.at;
        if (!is_aligned()) {
            for (int j = 0; j < Pack::size; ++j) {
                store(i + j, p[j]);
            }
        } else if (type_ == ElementType::f32) {
            auto* to = reinterpret_cast<float4*>(static_cast<float*>(begin_) + i);
            to[0] = {p[0], p[1], p[2], p[3]};
            to[1] = {p[4], p[5], p[6], p[7]};
        } else {
            *reinterpret_cast<uint4*>(static_cast<Half*>(begin_) + i) =
                type_ == ElementType::bf16
                    ? uint4{two_bf16(p), two_bf16(p + 2), two_bf16(p + 4), two_bf16(p + 6)}
                    : uint4{two_f16(p), two_f16(p + 2), two_f16(p + 4), two_f16(p + 6)};
        }
    }

    __device__ bool exists() const { return begin_ != nullptr; }

private:
    using Half = std::uint16_t;

    // An address inside a buffer may have any alignment.
    __device__ bool is_aligned() const {
        return reinterpret_cast<std::uintptr_t>(begin_) % 16 == 0;
    }
    __device__ static float as_float(std::uint32_t bits) { return __uint_as_float(bits); }
    // A pack that cannot be loaded by a 16-byte access.
    __device__ void gather(std::int64_t i, RawPack& raw) const {
        if (type_ == ElementType::f32) {
            raw.low = {load_raw(i), load_raw(i + 1), load_raw(i + 2), load_raw(i + 3)};
            raw.high = {load_raw(i + 4), load_raw(i + 5), load_raw(i + 6), load_raw(i + 7)};
        } else {
            raw.low = {two_halves(i), two_halves(i + 2), two_halves(i + 4), two_halves(i + 6)};
        }
    }
    // Two 16-bit elements in one word, the first in its low bits.
    __device__ std::uint32_t two_halves(std::int64_t i) const {
        return load_raw(i) | load_raw(i + 1) << 16U;
    }
    __device__ static float of_f16(std::uint32_t bits) {
        return __half2float(__ushort_as_half(static_cast<Half>(bits)));
    }
    // bf16 is the upper half of an f32.
    __device__ static float of_bf16(std::uint32_t bits) { return as_float(bits << 16U); }
    __device__ static float of_high_bf16(std::uint32_t bits) {
        return as_float(bits & 0xffff0000U);
    }
    __device__ static std::uint32_t two_bf16(const float* from) {
        return std::uint32_t{__bfloat16_as_ushort(__float2bfloat16_rn(from[0]))} |
               std::uint32_t{__bfloat16_as_ushort(__float2bfloat16_rn(from[1]))} << 16U;
    }
    __device__ static std::uint32_t two_f16(const float* from) {
        return std::uint32_t{__half_as_ushort(__float2half_rn(from[0]))} |
               std::uint32_t{__half_as_ushort(__float2half_rn(from[1]))} << 16U;
    }

    void* begin_ = nullptr;
    ElementType type_ = ElementType::f32;
};

}  // namespace strata::cuda
