// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/fused_forward.h"
#include "backend/cpu/onednn/layer_lowering.h"
#include "backend/cpu/onednn/linear_choice.h"
#include "backend/cpu/onednn/linear_matmul.h"
#include "backend/cpu/onednn/skinny_gemm.h"
#include "backend/cpu/onednn/tile_product.h"

namespace strata::cpu {

namespace {

using Forward = dnnl::inner_product_forward;
using BackwardData = dnnl::inner_product_backward_data;
using BackwardWeights = dnnl::inner_product_backward_weights;

// Always a matrix product. With images in their present layout (four axes, channels blocked),
// oneDNN 2.6 falls back to its general GEMM, which for AlexNet's fc6 takes 1.4 to 1.6 times as long
// as its brgemm kernels on a flat batch. Those also use one weight layout in all three passes, so
// that 150 MB of weights are never reordered. Reordering the batch costs a thousandth.
class FullyConnectedLowering : public LayerLowering {
public:
    FullyConnectedLowering(const Layer& layer, const FullyConnected& op)
        : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        prepare(lowering);
        by_asked(lowering, layer_, Pass::forward, [&](LinearAlgorithm algorithm, StepText text) {
            forward_by(lowering, algorithm, std::move(text));
        });
    }

    void backward_data(Lowering& lowering) override {
        by_asked(lowering, layer_, Pass::backward_data,
                 [&](LinearAlgorithm algorithm, StepText text) {
                     backward_data_by(lowering, algorithm, std::move(text));
                 });
    }

    void backward_weights(Lowering& lowering) override {
        by_asked(lowering, layer_, Pass::backward_weights,
                 [&](LinearAlgorithm algorithm, StepText text) {
                     backward_weights_by(lowering, algorithm, std::move(text));
                 });
    }

private:
    void forward_by(Lowering& lowering, LinearAlgorithm algorithm, StepText text) {
        switch (algorithm) {
            case LinearAlgorithm::usual:
                return suits_panels(lowering) && !(lowering.trains() && is_f32(lowering))
                           ? forward_by_panels(lowering, std::move(text))
                           : forward_by_library(lowering, std::move(text));
            case LinearAlgorithm::inner_product:
                return forward_by_library(lowering, std::move(text));
            case LinearAlgorithm::matmul:
                return matmul(lowering).forward(input(0), output(), std::move(text));
            case LinearAlgorithm::panels:
                require(suits_panels(lowering), unfit_for_panels);
                return forward_by_panels(lowering, std::move(text));
            case LinearAlgorithm::transposed:
                throw Refusal{"only the data's gradient reads transposed weights"};
        }
    }

    void backward_data_by(Lowering& lowering, LinearAlgorithm algorithm, StepText text) {
        switch (algorithm) {
            case LinearAlgorithm::usual:
                if (tiles(lowering).suits_backward_data(dims_of(x_)[0])) {
                    return backward_data_by_panels(lowering, std::move(text));
                }
                return is_worth_transposing(lowering)
                           ? backward_data_by_transposed(lowering, std::move(text))
                           : backward_data_by_library(lowering, std::move(text));
            case LinearAlgorithm::inner_product:
                return backward_data_by_library(lowering, std::move(text));
            case LinearAlgorithm::matmul:
                return matmul(lowering).backward_data(output(), input(0), std::move(text));
            case LinearAlgorithm::panels:
                return backward_data_by_panels(lowering, std::move(text));
            case LinearAlgorithm::transposed:
                require(is_f32(lowering), "bf16: it computes in f32");
                return backward_data_by_transposed(lowering, std::move(text));
        }
    }

    void backward_weights_by(Lowering& lowering, LinearAlgorithm algorithm, StepText text) {
        switch (algorithm) {
            case LinearAlgorithm::usual:
            case LinearAlgorithm::inner_product:
                return backward_weights_by_library(lowering, std::move(text));
            case LinearAlgorithm::matmul:
                return matmul(lowering).backward_weights(input(0), output(), std::move(text));
            case LinearAlgorithm::panels:
            case LinearAlgorithm::transposed:
                throw Refusal{"the weights' gradient reads no weights"};
        }
    }

    static constexpr const char* unfit_for_panels =
        "it needs f32, AVX-512, at most 64 rows and whole panels of weights for each thread, or "
        "bf16, AMX, at least 17 rows and extents in multiples of 64 and 32";

    static bool is_f32(const Lowering& lowering) {
        return lowering.element_type() == ElementType::f32;
    }

    static void require(bool condition, const char* reason) {
        if (!condition) {
            throw Refusal{reason};
        }
    }

    LinearMatMul matmul(Lowering& lowering) const {
        return {lowering, input(1), op_.bias ? std::optional(input(2)) : std::nullopt,
                dims_of(x_).front()};
    }

    void forward_by_library(Lowering& lowering, StepText text) {
        const auto described = [&](const dnnl::primitive_attr& attributes, const Desc& bias,
                                   const Desc& y) {
            return describe<Forward>({lowering.engine(), attributes}, lowering.forward_kind(), x_,
                                     weight_, bias, y);
        };
        forward_ = described(lowering.attributes(), bias_, y_);
        place_master(lowering);
        const FusedResult fused =
            lower_fused_forward<Forward>(lowering, layer_, bias_, text, described);
        read_weight_ = forward_->weights_desc();
        if (fused.fused == Fused::done) {
            return;
        }
        const TensorView x = lowering.value(input(0), forward_->src_desc());
        const TensorView weight = lowering.value(input(1), forward_->weights_desc());
        Arguments arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, weight}};
        if (op_.bias) {
            arguments.emplace_back(DNNL_ARG_BIAS, lowering.value(input(2), bias_));
        }
        const TensorView y = lowering.make_value(output(), forward_->dst_desc());
        arguments.emplace_back(DNNL_ARG_DST, y);
        lowering.compute<Forward>(*forward_, text_of(x.desc, y.desc), std::move(arguments),
                                  with_reason(std::move(text.algorithm), fused.apart),
                                  std::move(text.choice));
    }

    void backward_data_by_library(Lowering& lowering, StepText text) {
        const auto with_weight = [&](const Desc& weight) {
            return describe_backward<BackwardData>(lowering.context(), hint(lowering), x_, weight,
                                                   y_);
        };
        auto described =
            prefer_layout(weight_, present_weight(lowering), with_weight,
                          [](const auto& candidate) { return candidate.weights_desc(); });
        // The weights change in each iteration, so the copy by columns is made each time.
        constexpr dnnl::memory::dim rows_worth_a_copy = 128;
        const auto dims = dims_of(weight_);
        if (described.weights_desc() == by_rows(dims) && dims_of(x_)[0] >= rows_worth_a_copy &&
            shares_cache_sets(dims[1], described.impl_info_str())) {
            described = with_weight(by_columns(dims));
        }
        const TensorView dy = lowering.gradient(output(), described.diff_dst_desc());
        const TensorView weight = lowering.value(input(1), described.weights_desc());
        const TensorView dx = lowering.make_gradient(input(0), described.diff_src_desc());
        lowering.compute<BackwardData>(
            described, text_of(dy.desc, dx.desc),
            {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_WEIGHTS, weight}, {DNNL_ARG_DIFF_SRC, dx}},
            std::move(text.algorithm), std::move(text.choice));
    }

    void backward_weights_by_library(Lowering& lowering, StepText text) {
        const auto described = describe_weights(lowering, lowering.value(input(1)).desc);
        const TensorView x = lowering.value(input(0), described.src_desc());
        const TensorView dy = lowering.gradient(output(), described.diff_dst_desc());
        const TensorView dw = lowering.make_gradient(input(1), described.diff_weights_desc());
        Arguments arguments = {
            {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_WEIGHTS, dw}};
        if (op_.bias) {
            arguments.emplace_back(DNNL_ARG_DIFF_BIAS, lowering.make_gradient(input(2), bias_));
        }
        lowering.compute<BackwardWeights>(described, text_of(x.desc, dy.desc), std::move(arguments),
                                          std::move(text.algorithm), std::move(text.choice));
    }

    // The layout in which the forward product reads it, which in bf16 is not the stored one.
    Desc present_weight(Lowering& lowering) const {
        return read_weight_ ? *read_weight_ : lowering.value(input(1)).desc;
    }

    // The forward description that the backward primitives need.
    const Forward::primitive_desc& hint(Lowering& lowering) {
        if (!forward_) {
            forward_ = describe<Forward>(lowering.context(), lowering.forward_kind(), x_, weight_,
                                         bias_, y_);
        }
        return *forward_;
    }

    SkinnyGemmLowering panels(Lowering& lowering) const {
        const auto dims = dims_of(weight_);
        return {lowering, {input(1), 0, dims[0], dims[1], dims[0]}};
    }

    TileProduct tiles(Lowering& lowering) const { return {lowering, input(1)}; }

    bool suits_panels(Lowering& lowering) const {
        const auto rows = dims_of(x_)[0];
        return is_f32(lowering) ? panels(lowering).suits_forward(rows)
                                : tiles(lowering).suits_forward(rows);
    }

    // In f32 with few rows, reading the weights is the bottleneck (skinny_gemm.h). Usual in
    // inference only: backward passes need the library's layout. In bf16 tiles multiply panels.
    void forward_by_panels(Lowering& lowering, StepText text) {
        const auto followers = lowering.followers();
        const TensorId result = operations_of(lowering.graph(), layer_, followers).result;
        place_master(lowering);
        const ElementType type = lowering.element_type();
        const TensorView x = lowering.value(input(0), plain(dims_of(x_), type));
        const auto bias = op_.bias ? std::optional(lowering.value(input(2), bias_)) : std::nullopt;
        const TensorView y = lowering.make_value(result, plain(dims_of(y_), type));
        const Relu relu = followers.empty() ? Relu::none : Relu::applied;
        const bool is_tiled = !is_f32(lowering);
        const Call call = is_tiled ? tiles(lowering).forward(x, y, bias, relu)
                                   : panels(lowering).forward(x, y, bias, relu);
        if (is_tiled) {
            read_weight_ = tiles(lowering).forward_weights();
        }
        text.implementation =
            name_of_panels(lowering) + text_of_fused(lowering.graph(), FusedBias::no, followers);
        text.layout = text_of(x.desc, y.desc);
        lowering.compute(std::move(text), {call});
        for (const LayerId follower : followers) {
            lowering.include(follower);
        }
    }

    void backward_data_by_panels(Lowering& lowering, StepText text) const {
        const auto rows = dims_of(x_)[0];
        require(is_f32(lowering) ? panels(lowering).suits_backward_data(rows)
                                 : tiles(lowering).suits_backward_data(rows),
                unfit_for_panels);
        const ElementType type = lowering.element_type();
        const TensorView dy = lowering.gradient(output(), plain(dims_of(y_), type));
        const TensorView dx = lowering.make_gradient(input(0), plain(dims_of(x_), type));
        text.implementation = name_of_panels(lowering);
        text.layout = text_of(dy.desc, dx.desc);
        lowering.compute(std::move(text),
                         {is_f32(lowering) ? *panels(lowering).backward_data(dy, dx)
                                           : tiles(lowering).backward_data(dy, dx)});
    }

    static std::string name_of_panels(const Lowering& lowering) {
        return is_f32(lowering) ? "strata:panels" : "strata:tiles";
    }

    // oneDNN 2.6 packs the weights again for every block of rows, so its product for the data takes
    // up to 1.4 times as long as the forward one. Packing a transposed copy once costs as much as
    // some hundred rows; with more rows the forward product on it is faster. (Measured with 1,024
    // rows: 10,000 x 1,024 weights 246 -> 200 ms, 2,048 x 512 20 -> 17 ms, 512 x 512 equal; a batch
    // of 32 images would be slower.)
    bool is_worth_transposing(const Lowering& lowering) const {
        constexpr dnnl::memory::dim enough_rows = 512;
        return is_f32(lowering) && dims_of(x_).front() >= enough_rows;
    }

    // dx = dy w, as a forward product with transposed weights.
    void backward_data_by_transposed(Lowering& lowering, StepText text) const {
        const auto weights = dims_of(weight_);
        const auto described =
            describe<Forward>(lowering.context(), lowering.forward_kind(), y_,
                              any_layout({weights[1], weights[0]}, ElementType::f32), Desc(), x_);
        const TensorView dy = lowering.gradient(output(), described.src_desc());
        const Desc packed = described.weights_desc();
        const TensorView copy = lowering.value(input(1), packed.permute_axes({1, 0}));
        const TensorView dx = lowering.make_gradient(input(0), described.dst_desc());
        lowering.compute<Forward>(
            described, text_of(dy.desc, dx.desc),
            {{DNNL_ARG_SRC, dy}, {DNNL_ARG_WEIGHTS, {copy.buffer, packed}}, {DNNL_ARG_DST, dx}},
            std::move(text.algorithm), std::move(text.choice));
    }

    void prepare(Lowering& lowering) {
        const ElementType type = lowering.element_type();
        const auto weight = lowering.extents(input(1));
        const auto y = lowering.extents(output());
        x_ = any_layout({y[0], product(weight) / weight[0]}, type);
        weight_ = any_layout({weight[0], product(weight) / weight[0]}, type);
        y_ = any_layout(y, type);
        bias_ = op_.bias ? plain(lowering.extents(input(2)), ElementType::f32) : Desc();
        choose_weight_layout(lowering);
    }

    static Desc by_rows(const dnnl::memory::dims& dims) { return plain(dims, ElementType::f32); }
    static Desc by_columns(const dnnl::memory::dims& dims) {
        return transposed(by_rows({dims[1], dims[0]}));
    }

    // With few rows of x, reading the weights is the bottleneck.
    void choose_weight_layout(Lowering& lowering) {
        constexpr dnnl::memory::dim enough_rows = 16;
        if (!is_f32(lowering) || dims_of(x_)[0] < enough_rows) {
            return;
        }
        const auto dims = dims_of(weight_);
        const auto& free = hint(lowering);
        if (free.weights_desc() == by_columns(dims) &&
            shares_cache_sets(dims[0], free.impl_info_str())) {
            weight_ = by_rows(dims);
        }
        forward_.reset();
    }

    // As in a convolution: masters of narrower weights have the layout of their gradients.
    void place_master(Lowering& lowering) {
        if (lowering.trains() && !is_f32(lowering)) {
            lowering.value(input(1), describe_weights(lowering, any_weight()).diff_weights_desc());
        }
    }

    Desc any_weight() const { return any_layout(dims_of(weight_), ElementType::f32); }

    BackwardWeights::primitive_desc describe_weights(Lowering& lowering, const Desc& present) {
        return prefer_layout(
            any_weight(), present,
            [&](const Desc& dw) {
                return describe_backward<BackwardWeights>(lowering.context(), hint(lowering), x_,
                                                          dw, bias_, y_);
            },
            [](const auto& candidate) { return candidate.diff_weights_desc(); });
    }

    const FullyConnected& op_;
    Desc x_, weight_, bias_, y_;
    std::optional<Forward::primitive_desc> forward_;
    std::optional<Desc> read_weight_;  // by the forward product, unless it reads the stored one
};

}  // namespace

Made lower(const Layer& layer, const FullyConnected& op) {
    return std::make_unique<FullyConnectedLowering>(layer, op);
}

}  // namespace strata::cpu
