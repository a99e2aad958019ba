// SPDX-License-Identifier: MIT
#include "op/reshape.h"

#include "op/rules.h"

#include <fmt/format.h>

namespace strata {

namespace {

[[noreturn]] void refuse_dims(const Dims& dims, const Tensor& input) {
    refuse(Reshape::type, fmt::format("{} cannot become {}; the number of elements must not change",
                                      to_text(input.dims), to_text(dims)));
}

// The requested extents, with each 0 replaced by the input's extent; at most one -1 remains.
Dims copied(const Dims& dims, const Tensor& input) {
    Dims result = dims;
    int open = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        open += dims[i] == -1 ? 1 : 0;
        if (dims[i] < -1 || open > 1 || (dims[i] == 0 && i >= input.dims.size())) {
            refuse_dims(dims, input);
        }
        result[i] = dims[i] == 0 ? input.dims[i] : dims[i];
    }
    return result;
}

}  // namespace

std::vector<ParameterShape> Reshape::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Reshape::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    const std::int64_t elements = inputs[0].elements();
    Dims result = copied(dims, inputs[0]);
    for (std::int64_t& extent : result) {
        if (extent == -1) {
            extent = 1;
            const std::int64_t others = product(result);
            extent = others > 0 ? elements / others : 0;
        }
    }
    if (product(result) != elements) {
        refuse_dims(dims, inputs[0]);
    }
    return {shaped(type, result, inputs[0].dtype)};
}

Operations Reshape::operations(const Signature& signature, Pass pass) const {
    return pick({}, signature, pass);
}

BackwardReads Reshape::reads() const {
    return {};
}

}  // namespace strata
