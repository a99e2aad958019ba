// SPDX-License-Identifier: MIT
#include "op/pooling.h"

#include "op/rules.h"
#include "op/window.h"

#include <algorithm>

namespace strata {

namespace {

double window_size(const Pooling& pooling, const Tensor& input) {
    double size = 1;
    for (const std::int64_t extent : window_of(pooling, input).kernel) {
        size *= static_cast<double>(extent);
    }
    return size;
}

// One compare per window element (the convention of Dong et al. 2018: 9 per output of a 3x3
// window). Backward adds each gradient to one element of its window.
PassOperations max_pooling(double outputs, double window) {
    return {.forward = {.compares = outputs * window}, .backward_data = {.adds = outputs}};
}

// Forward divides the window's sum; backward adds the divided gradient to each of its elements.
PassOperations average_pooling(double outputs, double window) {
    const Operations each = {.adds = outputs * window, .divides = outputs};
    return {.forward = each, .backward_data = each};
}

}  // namespace

std::vector<ParameterShape> Pooling::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Pooling::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    const Tensor& x = inputs[0];
    const Window window = window_of(*this, x);
    Dims dims = {x.dims[0], x.dims[1]};
    std::ranges::copy(positions(type, window, std::span(x.dims).subspan(2),
                                ceil_mode ? WindowRounding::ceil : WindowRounding::floor),
                      std::back_inserter(dims));
    return {shaped(type, dims, x.dtype)};
}

Operations Pooling::operations(const Signature& signature, Pass pass) const {
    const double outputs = count_of(signature.outputs[0]);
    const double window = window_size(*this, signature.inputs[0].tensor);
    return pick(
        kind == PoolingKind::max ? max_pooling(outputs, window) : average_pooling(outputs, window),
        signature, pass);
}

// The maximum's place in its window: one byte if that suffices to number the elements, else
// four.
BackwardReads Pooling::reads() const {
    double window = 1;
    for (const std::int64_t extent : kernel) {
        window *= static_cast<double>(extent);
    }
    const double index_bytes = global || window > 256 ? 4 : 1;
    return {.saved_bytes_per_output = kind == PoolingKind::max ? index_bytes : 0};
}

std::string Pooling::kind_name() const {
    return (global ? "global_" : "") + std::string(names_of(kind)[static_cast<std::size_t>(kind)]) +
           "_pooling";
}

SumShape Pooling::forward_sum(const OperandValues& values) const {
    const Window window = window_of(*this, values.signature.inputs[0].tensor);
    const auto taps = static_cast<double>(product(window.kernel));
    return kind == PoolingKind::max ? SumShape() : SumShape{taps, values.rms(0) / taps};
}

SumShape Pooling::gradient_sum(const OperandValues& values, std::size_t) const {
    const Window window = window_of(*this, values.signature.inputs[0].tensor);
    const auto taps = static_cast<double>(product(window.kernel));
    return {taps, values.rms_gradient() / (kind == PoolingKind::max ? 1 : taps)};
}

}  // namespace strata
