// SPDX-License-Identifier: MIT
#include "backend/cuda/scatter.h"

#include "backend/cuda/kernels/copy.h"

namespace strata::cuda {

std::vector<Call> scattered_gradient(Lowering& lowering, const TensorView& gradient,
                                     const std::function<Call(const TensorView& sum)>& add) {
    const bool is_narrow = gradient.format.type != ElementType::f32;
    const std::int64_t count = product(gradient.dims);
    const TensorView sum = is_narrow ? lowering.make_transient(
                                           gradient.dims, {ElementType::f32, gradient.format.order})
                                     : gradient;
    std::vector<Call> calls = {{fill("strata:zero", count, ElementType::f32, 0), {sum}}, add(sum)};
    if (is_narrow) {
        calls.push_back({strided_copy("strata:narrow", {count}, {ElementType::f32, {1}},
                                      {gradient.format.type, {1}}),
                         {sum, gradient}});
    }
    return calls;
}

}  // namespace strata::cuda
