// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/small_gemm.h"
#include "backend/cpu/onednn/lowering.h"

#include <functional>

namespace strata::cpu {

// Rows [first, first + rows) of a weight matrix, or all of them.
struct WeightRows {
    TensorId tensor = 0;
    dnnl::memory::dim first = 0;
    dnnl::memory::dim rows = 0;
    dnnl::memory::dim columns = 0;
    dnnl::memory::dim rows_of_tensor = 0;

    bool is_whole() const { return rows == rows_of_tensor; }
};

// y[n, rows] = x[n, columns] w^T + b and its gradients, for layers with many products of one weight
// in a step. A whole weight has the library's preferred layout for the forward product; if the
// gradients' primitives accept it too, nothing is reordered between the passes. A part of a weight
// is row-major. All in f32; x, y and their gradients are dense and row-major. Products of many rows
// may use the library's matmul instead (linear_matmul.h), if it has them.
class InnerProduct {
public:
    InnerProduct(Lowering& lowering, const WeightRows& weight)
        : lowering_(lowering), weight_(weight) {}

    Call forward(const TensorView& x, const TensorView& y, Into into,
                 std::optional<TensorView> bias = {}, LinearAlgorithm way = LinearAlgorithm::usual);
    Call backward_data(const TensorView& dy, const TensorView& dx,
                       LinearAlgorithm way = LinearAlgorithm::usual);
    // Writes the weight's gradient, which this call creates for a whole weight and finds at
    // `whole_gradient` for a part, and the bias's, if that has a view.
    std::vector<Call> backward_weights(const TensorView& x, const TensorView& dy,
                                       std::optional<TensorView> bias, LinearAlgorithm way,
                                       std::optional<TensorView> whole_gradient = {});

    const WeightRows& weight() const { return weight_; }

    // The implementation of the latest call, and why it is not the requested matmul; empty if it
    // is, or if none was requested.
    const std::string& implementation() const { return implementation_; }
    const std::string& refusal() const { return refusal_; }
    Bytes workspace() const { return workspace_; }

private:
    struct Descs {
        Desc x, y, bias;
    };

    Descs descs_for(dnnl::memory::dim rows, const std::optional<TensorView>& bias) const;
    dnnl::inner_product_forward::primitive_desc describe_forward(const Descs& descs,
                                                                 const Desc& weight,
                                                                 Into into) const;
    Desc any_weight() const;
    // The layout that the gradients' primitives should accept: that of the master.
    Desc present_weight();
    TensorView weight_view(const Desc& desc);
    // The place of a part's gradient in the whole one, or of the whole one.
    TensorView gradient_view(const Desc& desc, const std::optional<TensorView>& whole_gradient);
    using MatMul = dnnl::matmul::primitive_desc;
    // A product with the weight; empty if the library's matmul is not requested, or refuses.
    std::optional<MatMul> matmul(LinearAlgorithm way,
                                 const std::function<MatMul(const Desc& weight)>& make);
    template <class Description>
    void note(const Description& described);

    Lowering& lowering_;
    WeightRows weight_;
    std::string implementation_;
    std::string refusal_;
    Bytes workspace_;
};

// The same call on other views: a primitive is made once for all steps of a sequence.
Call with_views(const Call& call, const Arguments& views);

}  // namespace strata::cpu
