// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/normalization.h"

#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/lowering.h"

#include <algorithm>

namespace strata::cuda {

namespace {

constexpr Format statistic = {ElementType::f32, Order::rows};

// The backward pass for the weights computes the two sums that the one for the data needs, so it
// comes first.
class BatchNormalizationLowering : public LayerLowering {
public:
    BatchNormalizationLowering(const Layer& layer, const BatchNormalization& op)
        : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        const TensorView x = source(lowering);
        count_ = product(lowering.dims(input(1)));
        lowering.trains() ? take_batch(lowering, x) : take_running(lowering);
        const TensorView y = lowering.make_value(output(), x.format);
        calls_.push_back(
            {normalize_kernel(product(x.dims), channels_of(x), {x.format.type, y.format.type}),
             {x, *mean_, *inverse_, parameter(lowering, 1), parameter(lowering, 2), y}});
        lowering.compute({"strata:batch_normalization", text_of(x.dims, x.format)},
                         std::move(calls_));
    }

    void backward_weights(Lowering& lowering) override {
        sums_ = {gradient_of(lowering, 2), gradient_of(lowering, 1)};
        lowering.compute({"strata:normalization_sums"}, sum_calls(lowering));
    }

    void backward_data(Lowering& lowering) override {
        std::vector<Call> calls;
        if (sums_.empty()) {
            sums_ = {lowering.make_transient({count_}, statistic),
                     lowering.make_transient({count_}, statistic)};
            calls = sum_calls(lowering);
        }
        const TensorView x = source(lowering);
        const TensorView dy = lowering.gradient(output(), x.format);
        const TensorView dx = lowering.make_gradient(input(0), x.format);
        calls.push_back(
            {normalization_gradient_kernel(product(x.dims), channels_of(x),
                                           product(x.dims) / count_,
                                           {x.format.type, dy.format.type, dx.format.type}),
             {x, dy, *mean_, *inverse_, parameter(lowering, 1), sums_[0], sums_[1], dx}});
        lowering.compute({"strata:normalize_backward", text_of(x.dims, x.format)},
                         std::move(calls));
    }

private:
    // With one statistic per element of an image, images must be row-major, as the statistics are.
    TensorView source(Lowering& lowering) const {
        return op_.scope == NormalizationScope::spatial ? lowering.shaped_value(input(0))
                                                        : lowering.row_value(input(0));
    }

    TensorView parameter(Lowering& lowering, std::size_t operand) const {
        return lowering.value(input(operand), statistic);
    }

    std::int64_t inner_of(const TensorView& x) const {
        return product(x.dims) / x.dims[0] / count_;
    }

    ChannelPlace channels_of(const TensorView& x) const {
        return {x.format.order == Order::rows ? inner_of(x) : 1, count_};
    }

    // Whether channels are innermost and fill whole packs.
    bool has_rows_of_packs(const TensorView& x) const {
        const bool is_innermost = x.format.order == Order::channels_last || inner_of(x) == 1;
        return is_innermost && fills_packs(count_);
    }
    std::int64_t rows_of(const TensorView& x) const { return product(x.dims) / count_; }

    // x as batch, statistics, and the elements that share a statistic.
    FoldShape shape_of(const TensorView& x) const {
        const std::int64_t inner = inner_of(x);
        const bool is_last = x.format.order == Order::channels_last;
        const Dims strides = {count_ * inner, is_last ? 1 : inner, is_last ? count_ : 1};
        return {.extents = {x.dims[0], count_, inner},
                .folded = {true, false, true},
                .inputs = {strides},
                .output = {0, 1, 0}};
    }

    void take_batch(Lowering& lowering, const TensorView& x) {
        mean_ = lowering.make_transient({count_}, statistic);
        inverse_ = lowering.make_transient({count_}, statistic);
        FoldShape shape = shape_of(x);
        const std::int64_t step = shape.inputs[0][1];
        shape.inputs.push_back({0, step, 0});
        FoldParts moments = has_rows_of_packs(x)
                                ? channel_moments(rows_of(x), count_, x.format.type)
                                : moments_fold(shape, x.format.type);
        const TensorView parts = lowering.make_transient({moments.partials}, statistic);
        const BatchStatistics statistics = {.slices = moments.slices,
                                            .x_stride = step,
                                            .each = static_cast<float>(product(x.dims) / count_),
                                            .epsilon = static_cast<float>(op_.epsilon),
                                            .keep = static_cast<float>(op_.momentum),
                                            .take = static_cast<float>(1 - op_.momentum)};
        calls_ = {{std::move(moments.kernel), {x, x, parts}},
                  {statistics_kernel(count_, statistics, x.format.type),
                   {parts, x, *mean_, *inverse_, parameter(lowering, 3), parameter(lowering, 4)}}};
    }

    void take_running(Lowering& lowering) {
        mean_ = parameter(lowering, 3);
        inverse_ = lowering.make_transient({count_}, statistic);
        calls_ = {{inverse_kernel(count_, op_.epsilon), {parameter(lowering, 4), *inverse_}}};
    }

    std::vector<Call> sum_calls(Lowering& lowering) const {
        const TensorView x = source(lowering);
        const TensorView dy = lowering.gradient(output(), x.format);
        FoldShape shape = shape_of(x);
        shape.inputs = {shape.inputs[0], shape.inputs[0], {0, 1, 0}, {0, 1, 0}};
        const std::array types = {dy.format.type, x.format.type};
        return fold_calls(lowering,
                          has_rows_of_packs(x) ? channel_gradients(rows_of(x), count_, types)
                                               : normalization_gradient_fold(shape, types),
                          {dy, x, *mean_, *inverse_}, sums_);
    }

    // The sum is needed in any case; it is a gradient only if the operand is trained.
    TensorView gradient_of(Lowering& lowering, std::size_t operand) const {
        return lowering.needs_gradient(input(operand))
                   ? lowering.make_gradient(input(operand), statistic)
                   : lowering.make_transient({count_}, statistic);
    }

    const BatchNormalization& op_;
    std::int64_t count_ = 0;
    std::optional<TensorView> mean_;
    std::optional<TensorView> inverse_;
    std::vector<TensorView> sums_;  // of dy, of dy times the normalised value
    std::vector<Call> calls_;
};

}  // namespace

Made lower(const Layer& layer, const BatchNormalization& op) {
    return std::make_unique<BatchNormalizationLowering>(layer, op);
}

}  // namespace strata::cuda
