// SPDX-License-Identifier: MIT
#include "predict/planner.h"

#include "op/window.h"
#include "predict/layer_products.h"

namespace strata {

namespace {

struct Extents2d {
    std::int64_t h = 1, w = 1;
};
Extents2d plane(const Dims& values) {
    return values.size() == 1 ? Extents2d{1, values[0]} : Extents2d{values[0], values[1]};
}

// The extents of a planar convolution.
struct PlaneConvolution {
    std::int64_t images, channels, filters, groups;
    Extents2d image, result, kernel, stride, pad, dilation;

    std::int64_t channels_of_group() const { return channels / groups; }
    std::int64_t filters_of_group() const { return filters / groups; }
    std::int64_t window() const { return channels_of_group() * kernel.h * kernel.w; }
    std::int64_t results() const { return images * result.h * result.w; }
    WindowView image_view(std::uint64_t base) const {
        WindowView view = pixels(base, channels, channels_of_group(), image.h, image.w);
        view.positions_h = result.h;
        view.positions_w = result.w;
        view.kernel_h = kernel.h;
        view.kernel_w = kernel.w;
        view.stride_h = stride.h;
        view.stride_w = stride.w;
        view.pad_h = pad.h;
        view.pad_w = pad.w;
        view.dilation_h = dilation.h;
        view.dilation_w = dilation.w;
        return view;
    }
    WindowView result_view(std::uint64_t base) const {
        return pixels(base, filters, filters_of_group(), result.h, result.w);
    }
};

// The convolution whose images and results have these extents.
PlaneConvolution extents_of(const Window& window, std::int64_t groups, const Dims& x,
                            const Dims& y) {
    if (x.size() > 4) {
        throw Error("convolutions of volumes cannot be simulated yet");
    }
    return {
        .images = x[0],
        .channels = x[1],
        .filters = y[1],
        .groups = groups,
        .image = plane({x.begin() + 2, x.end()}),
        .result = plane({y.begin() + 2, y.end()}),
        .kernel = window.kernel.size() == 1 ? Extents2d{1, window.kernel[0]} : plane(window.kernel),
        .stride = plane(window.stride),
        .pad = window.pad_begin.size() == 1 ? Extents2d{0, window.pad_begin[0]}
                                            : plane(window.pad_begin),
        .dilation = plane(window.dilation)};
}

// Filters x pixels of the result x window: y = w x.
void plan_forward(Planner& planner, const PlaneConvolution& c) {
    const std::uint64_t x =
        planner.addresses.place_elements(c.images * c.channels * c.image.h * c.image.w);
    const std::uint64_t w = planner.addresses.place_elements(c.filters * c.window());
    const std::uint64_t y = planner.addresses.place_elements(c.results() * c.filters);
    planner.add_product(
        "implicit product",
        {.batch = c.groups,
         .m = c.filters_of_group(),
         .n = c.results(),
         .k = c.window(),
         .a = {.view = MatrixView{.base = w,
                                  .pitch = bytes_of(c.window()),
                                  .batch_pitch = bytes_of(c.window() * c.filters_of_group())}},
         .b = OperandView{.view = c.image_view(x)},
         .c = OperandView{.view = c.result_view(y), .is_transposed = true}},
        true);
}

// Channels x pixels of the image x (filters by window): the gradient of x is a convolution of y's
// gradient with the window turned around. Pixels that share a phase of the stride use the same part
// of the window.
void plan_backward_data(Planner& planner, const PlaneConvolution& c) {
    const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const Extents2d part{up(c.kernel.h, c.stride.h), up(c.kernel.w, c.stride.w)};
    const Extents2d phase{up(c.image.h, c.stride.h), up(c.image.w, c.stride.w)};
    const std::int64_t filters = c.filters_of_group(), channels = c.channels_of_group();
    const std::uint64_t dy = planner.addresses.place_elements(c.results() * c.filters);
    const std::uint64_t w = planner.addresses.place_elements(c.filters * c.window());
    const std::uint64_t dx =
        planner.addresses.place_elements(c.images * c.channels * c.image.h * c.image.w);
    WindowView gradient = c.result_view(dy);
    gradient.positions_h = phase.h;
    gradient.positions_w = phase.w;
    gradient.kernel_h = part.h;
    gradient.kernel_w = part.w;
    gradient.dilation_h = c.stride.h == 1 ? c.dilation.h : 1;
    gradient.dilation_w = c.stride.w == 1 ? c.dilation.w : 1;
    gradient.pad_h = (part.h - 1) * gradient.dilation_h - c.pad.h / c.stride.h;
    gradient.pad_w = (part.w - 1) * gradient.dilation_w - c.pad.w / c.stride.w;
    WindowView weights = pixels(w, channels, 1, c.kernel.h, c.kernel.w);
    weights.batch_pitch = bytes_of(c.window() * filters);
    weights.positions_h = part.h;
    weights.positions_w = part.w;
    weights.stride_h = c.stride.h;
    weights.stride_w = c.stride.w;
    WindowView result = pixels(dx, c.channels, channels, c.image.h, c.image.w);
    result.positions_h = phase.h;
    result.positions_w = phase.w;
    result.stride_h = c.stride.h;
    result.stride_w = c.stride.w;
    planner.add_product("implicit product",
                        {.batch = c.groups,
                         .m = channels,
                         .n = c.images * phase.h * phase.w,
                         .k = filters * part.h * part.w,
                         .a = {.view = weights, .is_transposed = true},
                         .b = OperandView{.view = gradient},
                         .c = OperandView{.view = result, .is_transposed = true}},
                        true, static_cast<double>(c.stride.h * c.stride.w));
}

// Filters x window x pixels of the result.
void plan_backward_weights(Planner& planner, const PlaneConvolution& c) {
    const std::uint64_t x =
        planner.addresses.place_elements(c.images * c.channels * c.image.h * c.image.w);
    const std::uint64_t dy = planner.addresses.place_elements(c.results() * c.filters);
    const std::uint64_t dw = planner.addresses.place_elements(c.filters * c.window());
    planner.add_product(
        "implicit product",
        {.batch = c.groups,
         .m = c.filters_of_group(),
         .n = c.window(),
         .k = c.results(),
         .a = {.view = c.result_view(dy), .is_transposed = true},
         .b = OperandView{.view = c.image_view(x), .is_transposed = true},
         .c = OperandView{.view = MatrixView{.base = dw,
                                             .pitch = bytes_of(c.window()),
                                             .batch_pitch =
                                                 bytes_of(c.window() * c.filters_of_group())}}},
        true);
}

// One side of Winograd's F(4x4, 3x3): images of `channels` planes, in tiles of 6 x 6 that start
// every 4 pixels (Lavin and Gray 2016).
constexpr std::int64_t winograd_tile = 6;
constexpr std::int64_t winograd_step = 4;
constexpr std::int64_t winograd_elements = winograd_tile * winograd_tile;

bool has_winograd(const PlaneConvolution& c, Pass pass) {
    const auto is = [](Extents2d e, std::int64_t value) { return e.h == value && e.w == value; };
    return pass != Pass::backward_weights && is(c.kernel, 3) && is(c.stride, 1) &&
           is(c.dilation, 1) && c.groups == 1;
}

// y = A^T ((B^T x B) . (G w G^T)) A, with one kernel for each of the four. Backward data is the
// same with images and results, channels and filters exchanged.
void plan_winograd(Planner& planner, const PlaneConvolution& c, Pass pass) {
    const bool forward = pass == Pass::forward;
    const std::int64_t from = forward ? c.channels : c.filters;
    const std::int64_t to = forward ? c.filters : c.channels;
    const Extents2d in = forward ? c.image : c.result, out = forward ? c.result : c.image;
    const std::int64_t tiles_h = (out.h + winograd_step - 1) / winograd_step;
    const std::int64_t tiles_w = (out.w + winograd_step - 1) / winograd_step;
    const std::int64_t tiles = c.images * tiles_h * tiles_w;
    Addresses& at = planner.addresses;
    const std::uint64_t x = at.place_elements(c.images * from * in.h * in.w);
    const std::uint64_t w = at.place_elements(from * to * 9);
    const std::uint64_t y = at.place_elements(c.images * to * out.h * out.w);
    const std::uint64_t u = at.place_elements(winograd_elements * tiles * from);
    const std::uint64_t v = at.place_elements(winograd_elements * from * to);
    const std::uint64_t m = at.place_elements(winograd_elements * tiles * to);
    WindowView tile_view = pixels(x, 1, 1, in.h, in.w);
    tile_view.positions_h = tiles_h;
    tile_view.positions_w = tiles_w;
    tile_view.kernel_h = tile_view.kernel_w = winograd_tile;
    tile_view.stride_h = tile_view.stride_w = winograd_step;
    tile_view.pad_h = forward ? c.pad.h : 2 - c.pad.h;
    tile_view.pad_w = forward ? c.pad.w : 2 - c.pad.w;
    planner.add_window(
        "transform of images",
        {.m = tiles * from,
         .n = winograd_elements,
         .k = winograd_elements,
         .a = {.view = tile_view},
         .c = OperandView{.view = MatrixView{.base = u, .pitch = bytes_of(tiles * from)},
                          .is_transposed = true}});
    planner.add_stream("transform of weights",
                       {{w, bytes_of(from * to * 9)},
                        {v, bytes_of(winograd_elements * from * to), AccessKind::write}});
    planner.add_product("product of transforms",
                        {.batch = winograd_elements,
                         .m = to,
                         .n = tiles,
                         .k = from,
                         .a = {.view = MatrixView{.base = v,
                                                  .pitch = bytes_of(from),
                                                  .batch_pitch = bytes_of(from * to)}},
                         .b = OperandView{.view = MatrixView{.base = u,
                                                             .pitch = bytes_of(tiles),
                                                             .batch_pitch = bytes_of(tiles * from)},
                                          .is_transposed = true},
                         .c = OperandView{.view = MatrixView{.base = m,
                                                             .pitch = bytes_of(tiles),
                                                             .batch_pitch = bytes_of(tiles * to)}}},
                        false);
    planner.add_stream("transform of results",
                       {{m, bytes_of(winograd_elements * tiles * to)},
                        {y, bytes_of(c.images * to * out.h * out.w), AccessKind::write}});
}

void plan_pass(Planner& planner, const PlaneConvolution& c, Pass pass,
               PlannedConvolution algorithm) {
    if (algorithm == PlannedConvolution::winograd && has_winograd(c, pass)) {
        plan_winograd(planner, c, pass);
    } else if (pass == Pass::forward) {
        plan_forward(planner, c);
    } else if (pass == Pass::backward_data) {
        plan_backward_data(planner, c);
    } else {
        plan_backward_weights(planner, c);
    }
}

}  // namespace

void plan(Planner& planner, const Convolution& op, const Signature& signature, Pass pass,
          PlannedConvolution algorithm) {
    const Tensor& image = signature.inputs.at(0).tensor;
    plan_pass(planner,
              extents_of(window_of(op, image), op.groups, image.dims, signature.outputs.at(0).dims),
              pass, algorithm);
}

void plan(Planner& planner, const TransposedConvolution& op, const Signature& signature, Pass pass,
          PlannedConvolution algorithm) {
    const Tensor& result = signature.inputs.at(0).tensor;
    plan_pass(
        planner,
        extents_of(window_of(op, result), op.groups, signature.outputs.at(0).dims, result.dims),
        turned(pass), algorithm);
}

}  // namespace strata
