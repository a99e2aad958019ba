// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/elementwise.h"

#include "backend/cuda/kernels/map.cuh"

namespace strata::cuda {

namespace {

__device__ float cut(float value, float minimum, float maximum) {
    return value != value ? 0.0F : fminf(fmaxf(truncf(value), minimum), maximum);
}

__device__ float cast_to(DataType dtype, float value) {
    switch (dtype) {
        case DataType::f32:
        case DataType::f64:
            return value;
        case DataType::f16:
            return __half2float(__float2half_rn(value));
        case DataType::bf16:
            return __bfloat162float(__float2bfloat16_rn(value));
        case DataType::s8:
            return cut(value, -0x1p7F, 0x1p7F - 1);
        case DataType::u8:
            return cut(value, 0, 0x1p8F - 1);
        case DataType::s32:
            return cut(value, -0x1p31F, 0x1p31F);
        case DataType::s64:
            return cut(value, -0x1p63F, 0x1p63F);
        case DataType::boolean:
            return value != 0 ? 1 : 0;
        default:  // a type that no cast has
            return value;
    }
}

struct CastValue {
    DataType dtype;
    __device__ void operator()(std::int64_t, const float* x, float* y) const {
        y[0] = cast_to(dtype, x[0]);
    }
};

}  // namespace

Kernel cast(DataType dtype, std::int64_t count, const std::array<ElementType, 2>& types) {
    return map<1, 1>("strata:cast", count, types, CastValue{dtype});
}

}  // namespace strata::cuda
