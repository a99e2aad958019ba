// SPDX-License-Identifier: MIT
#include "backend/cuda/attention.h"

#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/kernels/attention.h"
#include "backend/cuda/products.h"
#include "op/attention.h"

#include <algorithm>

namespace strata::cuda {

namespace {

enum Operand : std::size_t { query, key, value, mask };

// Unfused attention: scores by matrix products, masked and normalised by one of our kernels, then
// products again. Stacks have three axes: the batch, the heads of keys, and the heads of queries
// that share one.
class UnfusedAttention : public LayerLowering {
public:
    UnfusedAttention(const Layer& layer, const Attention& op, const std::string& reason)
        : LayerLowering(layer),
          op_(op),
          algorithm_(reason.empty() ? "unfused" : "unfused: " + reason) {}

    void forward(Lowering& lowering) override {
        e_ = extents_of(op_, signature_of(lowering.graph(), layer_));
        const TensorView scores = lowering.make_transient(score_dims(), {ElementType::f32});
        const TensorView y = lowering.make_value(output(), lowering.row_format(output()));
        p_ = lowering.make_transient(score_dims(), y.format);
        std::vector<Call> calls;
        append(calls, product_of(lowering, {e_.queries, e_.keys, e_.width},
                                 heads(lowering.row_value(input(query)), false),
                                 transposed(heads(lowering.row_value(input(key)), true)),
                                 stacked_scores(scores), e_.scale));
        const TensorView mask_view = has_mask() ? lowering.row_value(input(mask)) : scores;
        calls.push_back(
            {masked_softmax(score_shape(lowering), mask_view.format.type, p_->format.type),
             {scores, mask_view, *p_}});
        append(calls,
               product_of(lowering, {e_.queries, e_.value_width, e_.keys}, stacked_scores(*p_),
                          heads(lowering.row_value(input(value)), true), heads(y, false)));
        lowering.compute({"cublaslt+strata:masked_softmax", text_of(y.dims, y.format), algorithm_},
                         std::move(calls));
    }

    // dv = p^T dy; ds = p (dy v^T - sum of p dy v^T); dq = scale ds k; dk = scale ds^T q.
    void backward_data(Lowering& lowering) override {
        const TensorView dy = lowering.row_gradient(output());
        const TensorView dp = lowering.make_transient(score_dims(), {ElementType::f32});
        const TensorView ds = lowering.make_transient(score_dims(), p_->format);
        std::vector<Call> calls;
        append(calls, product_of(lowering, {e_.queries, e_.keys, e_.value_width}, heads(dy, false),
                                 transposed(heads(lowering.row_value(input(value)), true)),
                                 stacked_scores(dp)));
        calls.push_back({score_gradient(score_shape(lowering), p_->format.type, ds.format.type),
                         {*p_, dp, ds}});
        add_value_gradient(lowering, dy, calls);
        add_query_gradient(lowering, ds, calls);
        add_key_gradient(lowering, ds, calls);
        lowering.compute(
            {"cublaslt+strata:score_gradient", text_of(dy.dims, dy.format), algorithm_},
            std::move(calls));
    }

private:
    struct Product {
        std::int64_t m;
        std::int64_t n;
        std::int64_t k;
    };

    static void append(std::vector<Call>& calls, std::vector<Call> more) {
        std::ranges::move(more, std::back_inserter(calls));
    }

    bool has_mask() const { return layer_.inputs.size() > mask; }
    std::int64_t sharing() const { return e_.heads / e_.kv_heads; }
    Dims stack() const { return {e_.batch, e_.kv_heads, sharing()}; }
    Dims score_dims() const { return {e_.batch, e_.heads, e_.queries, e_.keys}; }

    std::vector<Call> product_of(const Lowering& lowering, const Product& size, const Stacked& a,
                                 const Stacked& b, const Stacked& y, double scale = 1) const {
        return product_calls({.m = size.m,
                              .n = size.n,
                              .k = size.k,
                              .scale = static_cast<float>(scale),
                              .single_precision = lowering.execution().numerics.single_precision},
                             stack(), a, b, y);
    }

    static Stacked transposed(Stacked one) {
        one.matrix.transposed = true;
        return one;
    }

    // An operand's heads as matrices [positions, width]; those of keys and values are shared.
    Stacked heads(const TensorView& view, bool is_shared) const {
        const Dims& dims = view.dims;
        const std::int64_t count = is_shared ? e_.kv_heads : e_.heads;
        const std::int64_t width = e_.packed ? dims.back() / count : dims.back();
        const std::int64_t positions = e_.packed ? dims[1] : dims[2];
        const std::int64_t head = e_.packed ? width : positions * width;
        const std::int64_t row = e_.packed ? count * width : width;
        return {view,
                {view.format.type, row},
                is_shared ? Dims{positions * count * width, head, 0}
                          : Dims{positions * count * width, sharing() * head, head}};
    }

    Stacked stacked_scores(const TensorView& view) const {
        const std::int64_t each = e_.queries * e_.keys;
        return {view, {view.format.type, e_.keys}, {e_.heads * each, sharing() * each, each}};
    }

    ScoreShape score_shape(Lowering& lowering) const {
        ScoreShape shape = {e_.batch, e_.heads, e_.queries, e_.keys, op_.causal, {}, has_mask()};
        if (has_mask()) {
            const Dims strides = broadcast_strides(lowering.row_value(input(mask)), score_dims());
            std::ranges::copy(strides, shape.mask.begin());
        }
        return shape;
    }

    void add_value_gradient(Lowering& lowering, const TensorView& dy, std::vector<Call>& calls) {
        if (lowering.needs_gradient(input(value))) {
            const TensorView dv = lowering.make_gradient(input(value), dy.format);
            append(calls,
                   product_of(lowering, {e_.keys, e_.value_width, e_.queries},
                              transposed(stacked_scores(*p_)), heads(dy, false), heads(dv, true)));
        }
    }

    void add_query_gradient(Lowering& lowering, const TensorView& ds, std::vector<Call>& calls) {
        if (lowering.needs_gradient(input(query))) {
            const TensorView dq = lowering.make_gradient(input(query), ds.format);
            append(calls, product_of(lowering, {e_.queries, e_.width, e_.keys}, stacked_scores(ds),
                                     heads(lowering.row_value(input(key)), true), heads(dq, false),
                                     e_.scale));
        }
    }

    void add_key_gradient(Lowering& lowering, const TensorView& ds, std::vector<Call>& calls) {
        if (lowering.needs_gradient(input(key))) {
            const TensorView dk = lowering.make_gradient(input(key), ds.format);
            append(calls, product_of(lowering, {e_.keys, e_.width, e_.queries},
                                     transposed(stacked_scores(ds)),
                                     heads(lowering.row_value(input(query)), false),
                                     heads(dk, true), e_.scale));
        }
    }

    const Attention& op_;
    std::string algorithm_;
    AttentionExtents e_;
    std::optional<TensorView> p_;
};

}  // namespace

Made unfused_attention(const Layer& layer, const Attention& op, const std::string& reason) {
    return std::make_unique<UnfusedAttention>(layer, op, reason);
}

}  // namespace strata::cuda
