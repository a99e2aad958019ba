// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"
#include "backend/cpu/onednn/fused_forward.h"
#include "backend/cpu/onednn/lowering.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

// Our own convolution methods among the library's primitives.
namespace strata::cpu {

// The layouts of a method's operands. `weight` has one more axis if there are groups.
Desc layout_of_image(ImageOrder order, const dnnl::memory::dims& dims);
Desc layout_of_filter(FilterOrder order, const dnnl::memory::dims& dims);

// The order of such a layout; empty if it is not one of them.
std::optional<ImageOrder> image_order_of(const Desc& desc);
std::optional<FilterOrder> filter_order_of(const Desc& desc);

// A layer whose pass one of our own methods computes.
struct OwnConvolution {
    const Layer& layer;
    const Convolution& op;
    dnnl::memory::dims weight_dims = {};  // with groups as the first axis if there are several
    bool fuses_bias = false;  // the method adds it; otherwise separate loops do, if there is one

    // The pass prepared by the method of this name, for the layouts of its operands.
    // Throws Refusal if it cannot do it, or only with more scratch memory than the execution
    // allows.
    std::shared_ptr<const PreparedConvolution> prepare(Lowering& lowering, Pass pass,
                                                       std::string_view method) const;
    // The same in any type of activations, whose operands are converted.
    std::shared_ptr<const PreparedConvolution> prepare_in_f32(Lowering& lowering, Pass pass,
                                                              std::string_view method) const;

    // The method that is expected to be faster than the library; nothing if none is, or if that is
    // unknown: the library's rates are those in its own layouts.
    std::optional<std::string_view> faster_than_library(const Lowering& lowering, Pass pass) const;

    // Adds the prepared pass as a step, with reorders if it needs other layouts.
    void compute(Lowering& lowering, Pass pass,
                 const std::shared_ptr<const PreparedConvolution>& prepared, StepText text) const;

    // Adds the forward pass by the method of this name as one step with the layers that may be
    // fused with it. `bias` is empty if the layer has none.
    FusedResult forward_fused(Lowering& lowering, std::string_view method, const Desc& bias,
                              const StepText& text) const;

private:
    struct Operands {
        TensorView x = {};
        TensorView weight = {};
        TensorView y = {};
        std::optional<TensorView> bias = {};    // that the method adds
        std::optional<TensorView> addend = {};  // of a fused sum
    };

    ConvolutionProblem problem(const Lowering& lowering, Pass pass) const;
    std::shared_ptr<const PreparedConvolution> prepare(Lowering& lowering,
                                                       const ConvolutionProblem& problem,
                                                       std::string_view method,
                                                       const OperandOrders& preferred) const;
    void forward_fused(Lowering& lowering, std::string_view method,
                       const std::vector<LayerId>& followers, FusedOperations& fused,
                       StepText text) const;
    Call call_of(Lowering& lowering, const std::shared_ptr<const PreparedConvolution>& prepared,
                 const Operands& operands) const;
    // Whether the forward pass may transform its weights once.
    bool has_constant_weights(const Lowering& lowering, Pass pass) const;
    // The order that the user requested; empty if the choice is free.
    std::optional<ImageOrder> asked_order(Lowering& lowering) const;
    OperandOrders preferred(Lowering& lowering, Pass pass) const;
    ImageOrder preferred_image(Lowering& lowering) const;
    ImageOrder preferred_result(Lowering& lowering, Pass pass, ImageOrder image) const;
    FilterOrder preferred_filter(Lowering& lowering, ImageOrder image, ImageOrder result) const;
    Operands place(Lowering& lowering, Pass pass, const OperandOrders& orders) const;
    // Empty if the layer has no bias or the pass does not touch it.
    std::optional<TensorView> place_bias(Lowering& lowering, Pass pass) const;
    TensorId image() const { return layer.inputs[0]; }
    TensorId weight() const { return layer.inputs[1]; }
    TensorId result() const { return layer.outputs.front(); }
};

}  // namespace strata::cpu
