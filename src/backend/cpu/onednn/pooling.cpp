// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/pooling_loops.h"
#include "backend/cpu/kernels/spatial_loops.h"
#include "backend/cpu/onednn/channel_layout.h"
#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/layer_lowering.h"
#include "op/window.h"

#include <optional>

namespace strata::cpu {

namespace {

using dnnl::algorithm;

// The trailing padding with which the library, which rounds down, gets this number of positions.
Dims trailing_padding(const Window& window, std::span<const std::int64_t> extents,
                      std::span<const std::int64_t> positions) {
    Dims end(window.kernel.size());
    for (std::size_t i = 0; i < end.size(); ++i) {
        const std::int64_t reach = (window.kernel[i] - 1) * window.dilation[i] + 1;
        const std::int64_t needed =
            (positions[i] - 1) * window.stride[i] + reach - extents[i] - window.pad_begin[i];
        end[i] = std::max(needed, window.pad_end[i]);
    }
    return end;
}

class PoolingLowering : public LayerLowering {
public:
    PoolingLowering(const Layer& layer, const Pooling& op) : LayerLowering(layer), op_(op) {}

    void forward(Lowering& lowering) override {
        prepare(lowering);
        x_ = lowering.shaped_value(input(0)).desc;
        if (is_batch_last(x_)) {
            choose_loops(lowering);
        }
        if (windows_) {
            return maximum_by_loops(lowering);
        }
        if (axes_) {
            return forward_by_loops(lowering);
        }
        const auto described = forward_.emplace(describe_forward(lowering));
        x_ = described.src_desc();
        const TensorView x = lowering.value(input(0), x_);
        const TensorView y = lowering.make_value(output(), described.dst_desc());
        y_ = y.desc;
        Arguments arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}};
        if (lowering.trains() && op_.kind == PoolingKind::max) {
            indices_ = lowering.make_transient(described.workspace_desc());
            arguments.emplace_back(DNNL_ARG_WORKSPACE, *indices_);
        }
        lowering.compute<PoolingForward>(described, text_of(x.desc, y.desc), std::move(arguments));
    }

    void backward_data(Lowering& lowering) override {
        if (windows_) {
            return maximum_gradient_by_loops(lowering);
        }
        if (axes_) {
            return backward_by_loops(lowering);
        }
        const auto described = describe_backward<PoolingBackward>(
            lowering.context(), *forward_, algorithm_, x_, y_, window_.stride, window_.kernel,
            gaps_, window_.pad_begin, end_);
        const TensorView dy = lowering.gradient(output(), described.diff_dst_desc());
        const TensorView dx = lowering.make_gradient(input(0), described.diff_src_desc());
        Arguments arguments = {{DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_DIFF_SRC, dx}};
        if (indices_) {
            arguments.emplace_back(DNNL_ARG_WORKSPACE, *indices_);
        }
        lowering.compute<PoolingBackward>(described, text_of(dy.desc, dx.desc),
                                          std::move(arguments));
    }

private:
    void prepare(Lowering& lowering) {
        const Tensor& x = lowering.graph().tensors[input(0)].tensor;
        const Tensor& y = lowering.graph().tensors[output()].tensor;
        window_ = window_of(op_, x);
        end_ =
            trailing_padding(window_, std::span(x.dims).subspan(2), std::span(y.dims).subspan(2));
        gaps_ = window_.dilation;
        for (auto& gap : gaps_) {
            --gap;
        }
        algorithm_ = algorithm::pooling_max;
        if (op_.kind == PoolingKind::average) {
            choose_average(x, y);
        }
    }

    // The library would count the part of a last window in ceil mode that extends beyond the
    // padding, as no other framework does; our own loops replace it.
    void choose_average(const Tensor& x, const Tensor& y) {
        const bool overhangs = end_ != window_.pad_end;
        if (op_.count_include_pad && overhangs) {
            axes_ = weighted_axes(op_, x, y);
        }
        algorithm_ = op_.count_include_pad ? algorithm::pooling_avg_include_padding
                                           : algorithm::pooling_avg_exclude_padding;
    }

    // If the batch is last, the library has only its reference loops. Averages without the padding
    // divide by other numbers at the borders, which are also products over the axes.
    void choose_loops(Lowering& lowering) {
        const Tensor& x = lowering.graph().tensors[input(0)].tensor;
        const Tensor& y = lowering.graph().tensors[output()].tensor;
        if (op_.kind == PoolingKind::average) {
            axes_ = weighted_axes(op_, x, y);
        } else if (window_.kernel.size() == 2) {
            windows_ = MaximumWindows{.channels = x.dims[1],
                                      .images = x.dims[0],
                                      .rows = maximum_axis(x, y, 0),
                                      .columns = maximum_axis(x, y, 1)};
        }
    }

    MaximumAxis maximum_axis(const Tensor& x, const Tensor& y, std::size_t axis) const {
        return {.input = x.dims[axis + 2],
                .output = y.dims[axis + 2],
                .kernel = window_.kernel[axis],
                .stride = window_.stride[axis],
                .dilation = window_.dilation[axis],
                .pad = window_.pad_begin[axis]};
    }

    void maximum_by_loops(Lowering& lowering) {
        const TensorView x = lowering.value(input(0), x_);
        layout_ = channel_layout_of(x_);
        const TensorView y = lowering.make_value(output(), looped(lowering, output()));
        const std::string layout = text_of(x.desc, y.desc);
        if (!lowering.trains()) {
            const auto without_places = [](const MaximumWindows& windows, const float* in,
                                           float* out) { maxima(windows, in, out, nullptr); };
            return lowering.compute_by_loops(layout, loop_call(+without_places, {x, y}, *windows_));
        }
        const auto count = static_cast<dnnl::memory::dim>(elements_of(y.desc));
        indices_ = lowering.make_transient(plain({count}, ElementType::s32));
        lowering.compute_by_loops(layout, loop_call(maxima, {x, y, *indices_}, *windows_));
    }

    void maximum_gradient_by_loops(Lowering& lowering) const {
        const TensorView dy = lowering.gradient(output(), looped(lowering, output()));
        const TensorView dx = lowering.make_gradient(input(0), looped(lowering, input(0)));
        lowering.compute_by_loops(text_of(dy.desc, dx.desc),
                                  loop_call(maxima_gradient, {dy, *indices_, dx}, *windows_));
    }

    Desc looped(Lowering& lowering, TensorId tensor) const {
        return layout_.desc(lowering.extents(tensor), ElementType::f32);
    }

    void forward_by_loops(Lowering& lowering) {
        layout_ = channel_layout_of(x_);
        const TensorView x = lowering.value(input(0), looped(lowering, input(0)));
        const TensorView y = lowering.make_value(output(), looped(lowering, output()));
        lowering.compute_by_loops(
            text_of(x.desc), loop_call(spatial_sums, {x, y}, *axes_, layout_.outer, layout_.inner));
    }

    void backward_by_loops(Lowering& lowering) const {
        const TensorView dy = lowering.gradient(output(), looped(lowering, output()));
        const TensorView dx = lowering.make_gradient(input(0), looped(lowering, input(0)));
        lowering.compute_by_loops(
            text_of(dy.desc),
            loop_call(spatial_sums_gradient, {dy, dx}, *axes_, layout_.outer, layout_.inner));
    }

    // For the input's present layout. If the library has only slow reference loops for that (on
    // AVX2, for every row-major layout), for the first layout with a real kernel: those loops take
    // longer than a reorder and the kernel. A requested layout is kept.
    PoolingForward::primitive_desc describe_forward(Lowering& lowering) const {
        const auto as_it_lies = describe_forward(lowering, x_);
        const bool is_asked = lowering.execution().engine.image_layout != ImageLayout::automatic;
        if (runs_plain_loops(as_it_lies) && !is_asked) {
            for (const Desc& x : vector_layouts(dims_of(x_), type_of(x_))) {
                const auto other =
                    described_if_possible([&] { return describe_forward(lowering, x); });
                if (other && !runs_plain_loops(*other)) {
                    return *other;
                }
            }
        }
        return as_it_lies;
    }

    PoolingForward::primitive_desc describe_forward(Lowering& lowering, const Desc& x) const {
        const Desc y = any_layout(lowering.extents(output()), type_of(x));
        return describe<PoolingForward>(lowering.context(), lowering.forward_kind(), algorithm_, x,
                                        y, window_.stride, window_.kernel, gaps_, window_.pad_begin,
                                        end_);
    }

    const Pooling& op_;
    Window window_;
    Dims gaps_, end_;
    algorithm algorithm_ = algorithm::pooling_max;
    Desc x_, y_;
    std::optional<PoolingForward::primitive_desc> forward_;
    std::optional<TensorView> indices_;
    // If our own loops are needed.
    std::optional<WeightedAxes> axes_;
    std::optional<MaximumWindows> windows_;
    ChannelLayout layout_;
};

}  // namespace

Made lower(const Layer& layer, const Pooling& op) {
    return std::make_unique<PoolingLowering>(layer, op);
}

}  // namespace strata::cpu
