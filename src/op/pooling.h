// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>

namespace strata {

// The statistic of its window that a pooling layer computes.
enum class PoolingKind { max, average };

inline constexpr std::array<std::string_view, 2> names_of(PoolingKind) {
    return {"max", "average"};
}

// Maximum or mean over windows of the spatial axes. `global` takes the whole plane and ignores the
// window. In ceil mode the last window may start inside the input or its leading pad, as in Caffe
// and ONNX.
struct Pooling {
    static constexpr std::string_view type = "pooling";
    PoolingKind kind = PoolingKind::max;
    Dims kernel = {};
    Dims stride = {};
    Dims dilation = {};
    Dims pad_begin = {};
    Dims pad_end = {};
    bool ceil_mode = false;
    bool count_include_pad = false;
    bool global = false;

    bool operator==(const Pooling&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("kind", self.kind);
        visit("kernel", self.kernel);
        visit("stride", self.stride);
        visit("dilation", self.dilation);
        visit("pad_begin", self.pad_begin);
        visit("pad_end", self.pad_end);
        visit("ceil_mode", self.ceil_mode);
        visit("count_include_pad", self.count_include_pad);
        visit("global", self.global);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    std::string kind_name() const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
