// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/elementwise.h"

#include "backend/cuda/kernels/map.cuh"
#include "backend/semantics.h"

namespace strata::cuda {

namespace {

struct DropoutValue {
    DropoutChoice choice;
    float scale;

    __device__ void operator()(std::int64_t i, const float* x, float* y) const {
        y[0] = choice.keeps(static_cast<std::uint64_t>(i)) ? x[0] * scale : 0;
    }
};

}  // namespace

Kernel dropout(std::uint64_t seed, double probability, std::int64_t count,
               const std::array<ElementType, 2>& types) {
    return map<1, 1>("strata:dropout", count, types,
                     DropoutValue{DropoutChoice(seed, probability),
                                  static_cast<float>(1.0 / (1.0 - probability))});
}

}  // namespace strata::cuda
