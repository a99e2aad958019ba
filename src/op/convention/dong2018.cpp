// SPDX-License-Identifier: MIT
#include "op/convention/dong2018.h"

namespace strata {

bool naive_softmax(const Op& op, const Signature& signature, Pass pass, Flops& flops) {
    const auto* softmax = std::get_if<Softmax>(&op);
    if (softmax == nullptr || pass != Pass::forward) {
        return false;
    }
    const Tensor& y = signature.outputs[0];
    const auto rank = static_cast<std::int64_t>(y.dims.size());
    const std::int64_t axis = softmax->axis < 0 ? softmax->axis + rank : softmax->axis;
    flops = Flops{static_cast<double>(y.elements()) *
                  static_cast<double>(y.dims[static_cast<std::size_t>(axis)])};
    return true;
}

}  // namespace strata
