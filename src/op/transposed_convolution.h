// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

namespace strata {

// The data gradient of a convolution as a layer ("deconvolution"): x[N,C,spatial],
// weight[C,K/groups,kernel], bias[K] -> y[N,K,(extent - 1) * stride - pads + dilated kernel +
// output_pad]. An empty stride or dilation means 1 everywhere, an empty pad 0.
struct TransposedConvolution {
    static constexpr std::string_view type = "transposed_convolution";
    std::int64_t out_channels = 0;
    Dims kernel = {};
    Dims stride = {};
    Dims dilation = {};
    Dims pad_begin = {};
    Dims pad_end = {};
    Dims output_pad = {};
    std::int64_t groups = 1;
    bool bias = true;

    bool operator==(const TransposedConvolution&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("out_channels", self.out_channels);
        visit("kernel", self.kernel);
        visit("stride", self.stride);
        visit("dilation", self.dilation);
        visit("pad_begin", self.pad_begin);
        visit("pad_end", self.pad_end);
        visit("output_pad", self.output_pad);
        visit("groups", self.groups);
        visit("bias", self.bias);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

}  // namespace strata
