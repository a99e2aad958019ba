// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/normalization_loops.h"
#include "backend/cpu/onednn/layer_lowering.h"

#include <omp.h>

namespace strata::cpu {

namespace {

std::size_t size(std::int64_t extent) {
    return static_cast<std::size_t>(extent);
}

NormalizationLoops loops_of(const LayerNormalization& op, const dnnl::memory::dims& x) {
    NormalizationLoops loops;
    loops.width = size(product(std::span(x).subspan(axis_among(op.axis, x.size()))));
    loops.rows = size(product(x)) / loops.width;
    loops.epsilon = static_cast<float>(op.epsilon);
    loops.centred = op.kind == NormalizationKind::standard;
    return loops;
}

NormalizationLoops loops_of(const GroupNormalization& op, const dnnl::memory::dims& x) {
    NormalizationLoops loops;
    loops.groups = size(op.groups == 0 ? x[1] : op.groups);
    loops.rows = size(x[0]) * loops.groups;
    loops.width = size(product(x)) / loops.rows;
    loops.inner = size(product(x) / x[0] / x[1]);
    loops.epsilon = static_cast<float>(op.epsilon);
    return loops;
}

// Our own loops for both: oneDNN 2.6 has no group normalisation, and its layer normalisation reads
// each row three times. All gradients are computed together, because the sums that the data's
// gradient needs are the parameters' gradients.
class RowNormalizationLowering : public LayerLowering {
public:
    RowNormalizationLowering(const Layer& layer, std::size_t scale, std::size_t shift,
                             std::function<NormalizationLoops(const dnnl::memory::dims&)> loops)
        : LayerLowering(layer), scale_(scale), shift_(shift), make_loops_(std::move(loops)) {}

    void forward(Lowering& lowering) override {
        loops_ = make_loops_(lowering.extents(input(0)));
        const TensorView x = lowering.plain_value(input(0), lowering.element_type());
        const TensorView y = lowering.make_value(output(), x.desc);
        const TensorView scratch = scratch_of(lowering);
        const bool narrow = is_narrow(x);
        lowering.compute(
            {"strata:loops", text_of(x.desc)},
            {KernelCall{
                [=, loops = loops_, has_scale = scale_ != 0, has_shift = shift_ != 0,
                 threads = omp_get_max_threads()](std::span<void* const> at) {
                    normalize(loops,
                              {.x = {at[0], narrow},
                               .y = {at[1], narrow},
                               .scale = has_scale ? static_cast<const float*>(at[3]) : nullptr,
                               .shift = has_shift ? static_cast<const float*>(at[4]) : nullptr,
                               .scratch = static_cast<float*>(at[2])},
                              threads);
                },
                {x, y, scratch, parameter(lowering, scale_, x), parameter(lowering, shift_, x)}}},
            bytes_of(scratch));
    }

    void backward_weights(Lowering& lowering) override {
        if (lowering.needs_gradient(input(0))) {
            return lowering.refuse(std::string(type_of(layer_.op)) +
                                   ": computed together with backward_data");
        }
        backward(lowering);
    }

    void backward_data(Lowering& lowering) override { backward(lowering); }

private:
    static bool is_narrow(const TensorView& view) {
        return type_of(view.desc) == ElementType::bf16;
    }

    static Bytes bytes_of(const TensorView& view) {
        return {static_cast<double>(view.desc.get_size())};
    }

    TensorView scratch_of(Lowering& lowering) const {
        return lowering.make_floats(normalization_scratch(loops_, omp_get_max_threads()));
    }

    // Any view can replace an absent parameter, because it is not read.
    TensorView parameter(Lowering& lowering, std::size_t operand, const TensorView& absent) const {
        return operand == 0 ? absent : lowering.plain_value(input(operand), ElementType::f32);
    }

    bool is_trained(Lowering& lowering, std::size_t operand) const {
        return operand != 0 && lowering.needs_gradient(input(operand));
    }

    TensorView gradient_of(Lowering& lowering, std::size_t operand,
                           const TensorView& absent) const {
        return is_trained(lowering, operand)
                   ? lowering.make_gradient(
                         input(operand), plain(lowering.extents(input(operand)), ElementType::f32))
                   : absent;
    }

    void backward(Lowering& lowering) {
        const ElementType type = lowering.element_type();
        const TensorView x = lowering.plain_value(input(0), type);
        const TensorView dy = lowering.plain_gradient(output(), type);
        const bool of_data = lowering.needs_gradient(input(0));
        const TensorView dx = of_data ? lowering.make_gradient(input(0), x.desc) : dy;
        const TensorView scratch = scratch_of(lowering);
        const bool of_scale = is_trained(lowering, scale_), of_shift = is_trained(lowering, shift_);
        const auto when = [](bool there, void* address) {
            return there ? static_cast<float*>(address) : nullptr;
        };
        lowering.compute(
            {"strata:loops", text_of(x.desc)},
            {KernelCall{[=, loops = loops_, has_scale = scale_ != 0, narrow = is_narrow(x),
                         threads = omp_get_max_threads()](std::span<void* const> at) {
                            normalize_backward(loops,
                                               {.x = {at[0], narrow},
                                                .dy = {at[1], narrow},
                                                .dx = {of_data ? at[2] : nullptr, narrow},
                                                .scale = when(has_scale, at[4]),
                                                .scale_gradient = when(of_scale, at[5]),
                                                .shift_gradient = when(of_shift, at[6]),
                                                .scratch = static_cast<float*>(at[3])},
                                               threads);
                        },
                        {x, dy, dx, scratch, parameter(lowering, scale_, x),
                         gradient_of(lowering, scale_, x), gradient_of(lowering, shift_, x)}}},
            bytes_of(scratch));
    }

    std::size_t scale_ = 0;  // operand; 0: none
    std::size_t shift_ = 0;
    std::function<NormalizationLoops(const dnnl::memory::dims&)> make_loops_;
    NormalizationLoops loops_;
};

}  // namespace

Made lower(const Layer& layer, const LayerNormalization& op) {
    const std::size_t scale = op.scale ? 1 : 0;
    return std::make_unique<RowNormalizationLowering>(
        layer, scale, op.shift ? scale + 1 : 0,
        [&op](const dnnl::memory::dims& x) { return loops_of(op, x); });
}

Made lower(const Layer& layer, const GroupNormalization& op) {
    return std::make_unique<RowNormalizationLowering>(
        layer, op.affine ? 1 : 0, op.affine ? 2 : 0,
        [&op](const dnnl::memory::dims& x) { return loops_of(op, x); });
}

}  // namespace strata::cpu
