// SPDX-License-Identifier: MIT Operators over windows of an image, and those that change an image's
// extents.
#include "backend/peer/libtorch/operators.h"

#include <torch/nn/functional/upsampling.h>

#include <algorithm>
#include <array>
#include <limits>

namespace strata::libtorch {

namespace {

struct Windows {
    explicit Windows(const Attributes& a)
        : kernel(a.dims("kernel")),
          stride(a.dims("stride")),
          dilation(a.dims("dilation")),
          pad(a.dims("pad_begin")),
          pad_end(a.dims("pad_end")) {}

    std::size_t axes() const { return kernel.size(); }
    bool is_even() const { return pad == pad_end; }
    // In the order of at::constant_pad_nd: the last axis first.
    Dims pairs() const {
        Dims pairs;
        for (std::size_t i = axes(); i-- > 0;) {
            pairs.insert(pairs.end(), {pad[i], pad_end[i]});
        }
        return pairs;
    }

    Dims kernel;
    Dims stride;
    Dims dilation;
    Dims pad;
    Dims pad_end;
};

[[noreturn]] void refuse_axes(std::size_t axes) {
    throw Refusal("the adapter of libtorch has no windows of " + std::to_string(axes) + " axes");
}

// The operand, padded with `value` if the layer supports only equal padding on both sides; the
// padding left to the layer is in `windows`.
Operator behind_padding(Windows& windows, float value, Operator inner) {
    return [pairs = windows.pairs(), value, inner = std::move(inner)](const Tensors& x) {
        Tensors padded = x;
        padded[0] = at::constant_pad_nd(x[0], pairs, value);
        return inner(padded);
    };
}

template <class Call>
Operator with_even_padding(Windows windows, float value, Call&& make) {
    if (windows.is_even()) {
        return make(windows);
    }
    Windows without = windows;
    std::ranges::fill(without.pad, 0);
    return behind_padding(windows, value, make(without));
}

at::Tensor bias_among(const Tensors& x) {
    return x.size() > 2 ? x[2] : at::Tensor();
}

Operator convolution(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    return with_even_padding(Windows(a), 0, [&](const Windows& w) -> Operator {
        const std::int64_t groups = a.integer("groups");
        const auto of = [w, groups](auto call) -> Operator {
            return [w, groups, call](const Tensors& x) -> Tensors {
                return {call(x[0], x[1], bias_among(x), w.stride, w.pad, w.dilation, groups)};
            };
        };
        using Call =
            at::Tensor (*)(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                           at::IntArrayRef, at::IntArrayRef, at::IntArrayRef, std::int64_t);
        switch (w.axes()) {
            case 1:
                return of(static_cast<Call>(at::conv1d));
            case 2:
                return of(static_cast<Call>(at::conv2d));
            case 3:
                return of(static_cast<Call>(at::conv3d));
            default:
                refuse_axes(w.axes());
        }
    });
}

Operator transposed_convolution(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    const Windows w(a);
    const bool is_even = w.is_even();
    Dims more = a.dims("output_pad");
    more.resize(w.axes());
    const Dims pad = is_even ? w.pad : Dims(w.axes());
    return [=, groups = a.integer("groups"),
            dims = layer.result_dims[0]](const Tensors& x) -> Tensors {
        const auto call = [&](auto of) {
            return of(x[0], x[1], bias_among(x), w.stride, pad, more, groups, w.dilation);
        };
        at::Tensor y =
            w.axes() == 1   ? call([](auto&&... all) { return at::conv_transpose1d(all...); })
            : w.axes() == 2 ? call([](auto&&... all) { return at::conv_transpose2d(all...); })
            : w.axes() == 3 ? call([](auto&&... all) { return at::conv_transpose3d(all...); })
                            : (refuse_axes(w.axes()), at::Tensor());
        for (std::size_t axis = 0; axis < (is_even ? 0 : w.axes()); ++axis) {
            const auto at = static_cast<std::int64_t>(axis) + 2;
            y = y.narrow(at, w.pad[axis], dims[axis + 2]);
        }
        return {y};
    };
}

at::Tensor over_whole_plane(const at::Tensor& x, bool is_max) {
    const std::vector<std::int64_t> one(static_cast<std::size_t>(x.dim() - 2), 1);
    switch (one.size()) {
        case 1:
            return is_max ? std::get<0>(at::adaptive_max_pool1d(x, one))
                          : at::adaptive_avg_pool1d(x, one);
        case 2:
            return is_max ? std::get<0>(at::adaptive_max_pool2d(x, one))
                          : at::adaptive_avg_pool2d(x, one);
        case 3:
            return is_max ? std::get<0>(at::adaptive_max_pool3d(x, one))
                          : at::adaptive_avg_pool3d(x, one);
        default:
            refuse_axes(one.size());
    }
}

at::Tensor max_of(const at::Tensor& x, const Windows& w, bool ceil) {
    switch (w.axes()) {
        case 1:
            return at::max_pool1d(x, w.kernel, w.stride, w.pad, w.dilation, ceil);
        case 2:
            return at::max_pool2d(x, w.kernel, w.stride, w.pad, w.dilation, ceil);
        case 3:
            return at::max_pool3d(x, w.kernel, w.stride, w.pad, w.dilation, ceil);
        default:
            refuse_axes(w.axes());
    }
}

at::Tensor mean_of(const at::Tensor& x, const Windows& w, bool ceil, bool with_pad) {
    switch (w.axes()) {
        case 1:
            return at::avg_pool1d(x, w.kernel, w.stride, w.pad, ceil, with_pad);
        case 2:
            return at::avg_pool2d(x, w.kernel, w.stride, w.pad, ceil, with_pad);
        case 3:
            return at::avg_pool3d(x, w.kernel, w.stride, w.pad, ceil, with_pad);
        default:
            refuse_axes(w.axes());
    }
}

Operator pooling(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    const bool is_max = a.word("kind") == "max", ceil = a.flag("ceil_mode");
    if (a.flag("global")) {
        return [is_max](const Tensors& x) -> Tensors { return {over_whole_plane(x[0], is_max)}; };
    }
    const Windows windows(a);
    if (is_max) {
        const float lowest = -std::numeric_limits<float>::infinity();
        return with_even_padding(windows, lowest, [&](const Windows& w) -> Operator {
            return [w, ceil](const Tensors& x) -> Tensors { return {max_of(x[0], w, ceil)}; };
        });
    }
    if (!windows.is_even() || std::ranges::any_of(windows.dilation, [](auto d) { return d > 1; })) {
        throw Refusal("libtorch's average pooling has neither uneven padding nor dilation");
    }
    return [windows, ceil, with_pad = a.flag("count_include_pad")](const Tensors& x) -> Tensors {
        return {mean_of(x[0], windows, ceil, with_pad)};
    };
}

Operator pad(const ToldLayer& layer, const Setting&) {
    const Attributes a(layer.attributes);
    const Dims begin = a.dims("begin"), end = a.dims("end");
    Dims pairs;
    for (std::size_t i = begin.size(); i-- > 0;) {
        pairs.insert(pairs.end(), {begin[i], end[i]});
    }
    const std::string kind = a.word("kind");
    if (kind == "constant") {
        return [pairs, value = a.number("value")](const Tensors& x) -> Tensors {
            return {at::constant_pad_nd(x[0], pairs, value)};
        };
    }
    if (pairs.size() <= 4 ||
        std::any_of(pairs.end() - 4, pairs.end(), [](auto p) { return p != 0; })) {
        throw Refusal("libtorch pads by reflection or edges only the axes after the first two");
    }
    pairs.resize(pairs.size() - 4);
    return [pairs, mode = std::string(kind == "edge" ? "replicate" : kind)](
               const Tensors& x) -> Tensors { return {at::pad(x[0], pairs, mode)}; };
}

namespace F = torch::nn::functional;

// Empty if libtorch interpolates at other positions or with another kernel.
std::optional<F::InterpolateFuncOptions> interpolation_of(const Attributes& a,
                                                          const at::Tensor& x) {
    const std::string coordinates = a.word("coordinates"), rounding = a.word("rounding");
    const Dims sizes = a.dims("sizes");
    const bool corners = coordinates == "align_corners";
    const bool centred = coordinates == "half_pixel" || (coordinates == "pytorch_half_pixel" &&
                                                         *std::ranges::min_element(sizes) > 1);
    auto options = F::InterpolateFuncOptions().size(sizes);
    if (a.word("interpolation") == "nearest") {
        bool never_between = true;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            never_between =
                never_between && sizes[i] % x.size(static_cast<std::int64_t>(i) + 2) == 0;
        }
        if (coordinates == "asymmetric" && rounding == "down") {
            return options.mode(torch::kNearest);
        }
        const bool as_exact = rounding == "half_up" || (never_between && rounding == "half_down");
        return centred && as_exact ? std::optional(options.mode(torch::kNearestExact))
                                   : std::nullopt;
    }
    if (!centred && !corners) {
        return {};
    }
    options.align_corners(corners);
    if (a.word("interpolation") == "cubic") {
        const bool has_it = sizes.size() == 2 && a.number("cubic_coefficient") == -0.75;
        return has_it ? std::optional(options.mode(torch::kBicubic)) : std::nullopt;
    }
    return sizes.size() == 1   ? options.mode(torch::kLinear)
           : sizes.size() == 2 ? options.mode(torch::kBilinear)
                               : options.mode(torch::kTrilinear);
}

Operator resize(const ToldLayer& layer, const Setting&) {
    return [a = layer.attributes](const Tensors& x) -> Tensors {
        const auto options = interpolation_of(Attributes(a), x[0]);
        if (!options) {
            throw Refusal("libtorch interpolates at other positions or with another kernel");
        }
        return {F::interpolate(x[0], *options)};
    };
}

}  // namespace

const OperatorList& window_operators() {
    static const OperatorList list = {{"convolution", convolution},
                                      {"transposed_convolution", transposed_convolution},
                                      {"pooling", pooling},
                                      {"pad", pad},
                                      {"resize", resize}};
    return list;
}

}  // namespace strata::libtorch
