// SPDX-License-Identifier: MIT
#include "predict/planner.h"

#include <algorithm>
#include <utility>

namespace strata {

namespace {

// A convolution's extents as those of its operands.
struct Planes {
    const ConvolutionProblem& c;
    const GemmKernel& kernel;  // whose rows are columns here

    std::int64_t channels() const { return c.c / c.groups; }
    std::int64_t filters() const { return c.k / c.groups; }
    std::int64_t window() const { return channels() * c.r * c.s; }
    std::int64_t results() const { return c.n * c.result_h() * c.result_w(); }
    std::int64_t image_elements() const { return c.n * c.c * c.h * c.w; }

    WindowView image(std::uint64_t base) const {
        WindowView view = pixels(base, c.c, channels(), c.h, c.w);
        view.positions_h = c.result_h();
        view.positions_w = c.result_w();
        view.kernel_h = c.r;
        view.kernel_w = c.s;
        view.stride_h = c.stride_h;
        view.stride_w = c.stride_w;
        view.pad_h = c.pad_h;
        view.pad_w = c.pad_w;
        view.dilation_h = c.dilation_h;
        view.dilation_w = c.dilation_w;
        return view;
    }
    WindowView result(std::uint64_t base) const {
        return pixels(base, c.k, filters(), c.result_h(), c.result_w());
    }
    MatrixView weights(std::uint64_t base) const {
        return {.base = base,
                .pitch = bytes_of(window()),
                .batch_pitch = bytes_of(window() * filters())};
    }
};

// Filters x pixels of the result x window: y = w x.
void plan_forward(Planner& planner, const Planes& x) {
    const std::uint64_t image = planner.addresses.place_elements(x.image_elements());
    const std::uint64_t weights = planner.addresses.place_elements(x.c.k * x.window());
    const std::uint64_t result = planner.addresses.place_elements(x.results() * x.c.k);
    planner.add_product("implicit product",
                        {.batch = x.c.groups,
                         .m = x.filters(),
                         .n = x.results(),
                         .k = x.window(),
                         .a = {.view = x.weights(weights)},
                         .b = OperandView{.view = x.image(image)},
                         .c = OperandView{.view = x.result(result), .is_transposed = true}},
                        x.kernel, true);
}

// Channels x pixels of the image x (filters by window): the gradient of x is a convolution of y's
// gradient with the window turned around. Pixels that share a phase of the stride use the same part
// of the window.
void plan_backward_data(Planner& planner, const Planes& x) {
    const ConvolutionProblem& c = x.c;
    const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const std::int64_t part_h = up(c.r, c.stride_h), part_w = up(c.s, c.stride_w);
    const std::int64_t phase_h = up(c.h, c.stride_h), phase_w = up(c.w, c.stride_w);
    const std::uint64_t dy = planner.addresses.place_elements(x.results() * c.k);
    const std::uint64_t w = planner.addresses.place_elements(c.k * x.window());
    const std::uint64_t dx = planner.addresses.place_elements(x.image_elements());
    WindowView gradient = x.result(dy);
    gradient.positions_h = phase_h;
    gradient.positions_w = phase_w;
    gradient.kernel_h = part_h;
    gradient.kernel_w = part_w;
    gradient.dilation_h = c.stride_h == 1 ? c.dilation_h : 1;
    gradient.dilation_w = c.stride_w == 1 ? c.dilation_w : 1;
    gradient.pad_h = (part_h - 1) * gradient.dilation_h - c.pad_h / c.stride_h;
    gradient.pad_w = (part_w - 1) * gradient.dilation_w - c.pad_w / c.stride_w;
    WindowView weights = pixels(w, x.channels(), 1, c.r, c.s);
    weights.batch_pitch = bytes_of(x.window() * x.filters());
    weights.positions_h = part_h;
    weights.positions_w = part_w;
    weights.stride_h = c.stride_h;
    weights.stride_w = c.stride_w;
    WindowView result = pixels(dx, c.c, x.channels(), c.h, c.w);
    result.positions_h = phase_h;
    result.positions_w = phase_w;
    result.stride_h = c.stride_h;
    result.stride_w = c.stride_w;
    planner.add_product("implicit product",
                        {.batch = c.groups,
                         .m = x.channels(),
                         .n = c.n * phase_h * phase_w,
                         .k = x.filters() * part_h * part_w,
                         .a = {.view = weights, .is_transposed = true},
                         .b = OperandView{.view = gradient},
                         .c = OperandView{.view = result, .is_transposed = true}},
                        x.kernel, true,
                        static_cast<double>(std::min(c.stride_h, c.r) * std::min(c.stride_w, c.s)));
}

// Filters x window x pixels of the result.
void plan_backward_weights(Planner& planner, const Planes& x) {
    const std::uint64_t image = planner.addresses.place_elements(x.image_elements());
    const std::uint64_t dy = planner.addresses.place_elements(x.results() * x.c.k);
    const std::uint64_t dw = planner.addresses.place_elements(x.c.k * x.window());
    planner.add_product("implicit product",
                        {.batch = x.c.groups,
                         .m = x.filters(),
                         .n = x.window(),
                         .k = x.results(),
                         .a = {.view = x.result(dy), .is_transposed = true},
                         .b = OperandView{.view = x.image(image), .is_transposed = true},
                         .c = OperandView{.view = x.weights(dw)}},
                        x.kernel, true);
}

// One side of Winograd's F(4x4, 3x3): images of `channels` planes, in tiles of 6 x 6 that start
// every 4 pixels (Lavin and Gray 2016).
constexpr std::int64_t winograd_tile = 6;
constexpr std::int64_t winograd_step = 4;
constexpr std::int64_t winograd_elements = winograd_tile * winograd_tile;

// y = A^T ((B^T x B) . (G w G^T)) A, with one kernel for each of the four. Backward data is the
// same with images and results, channels and filters exchanged.
void plan_winograd(Planner& planner, const Planes& x) {
    const ConvolutionProblem& c = x.c;
    const bool forward = c.pass == ConvolutionPass::forward;
    const std::int64_t from = forward ? c.c : c.k, to = forward ? c.k : c.c;
    const std::int64_t in_h = forward ? c.h : c.result_h(), in_w = forward ? c.w : c.result_w();
    const std::int64_t out_h = forward ? c.result_h() : c.h, out_w = forward ? c.result_w() : c.w;
    const std::int64_t tiles_h = (out_h + winograd_step - 1) / winograd_step;
    const std::int64_t tiles_w = (out_w + winograd_step - 1) / winograd_step;
    const std::int64_t tiles = c.n * tiles_h * tiles_w;
    Addresses& at = planner.addresses;
    const std::uint64_t weights = bytes_of(from * to * 9),
                        results = bytes_of(c.n * to * out_h * out_w);
    const std::uint64_t images = bytes_of(c.n * from * in_h * in_w);
    const std::uint64_t images_in_tiles = bytes_of(winograd_elements * tiles * from);
    const std::uint64_t weights_in_tiles = bytes_of(winograd_elements * from * to);
    const std::uint64_t results_in_tiles = bytes_of(winograd_elements * tiles * to);
    const std::uint64_t image = at.place(images), w = at.place(weights), y = at.place(results);
    const std::uint64_t u = at.place(images_in_tiles), v = at.place(weights_in_tiles),
                        m = at.place(results_in_tiles);
    // Each transform has its share of their time by its bytes.
    const auto all = static_cast<double>(images + weights + results + images_in_tiles +
                                         weights_in_tiles + results_in_tiles);
    const auto share = [&](std::uint64_t bytes) {
        return planner.predicted.terms[Term::transforms] * (static_cast<double>(bytes) / all);
    };
    WindowView tile_view = pixels(image, 1, 1, in_h, in_w);
    tile_view.positions_h = tiles_h;
    tile_view.positions_w = tiles_w;
    tile_view.kernel_h = tile_view.kernel_w = winograd_tile;
    tile_view.stride_h = tile_view.stride_w = winograd_step;
    tile_view.pad_h = forward ? c.pad_h : 2 - c.pad_h;
    tile_view.pad_w = forward ? c.pad_w : 2 - c.pad_w;
    planner.add_window(
        "transform of images",
        {.m = tiles * from,
         .n = winograd_elements,
         .k = winograd_elements,
         .a = {.view = tile_view},
         .c = OperandView{.view = MatrixView{.base = u, .pitch = bytes_of(tiles * from)},
                          .is_transposed = true}},
        share(images + images_in_tiles));
    planner.add_stream("transform of weights",
                       {{w, weights}, {v, weights_in_tiles, AccessKind::write}},
                       share(weights + weights_in_tiles));
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
                        x.kernel, false);
    planner.add_stream("transform of results",
                       {{m, results_in_tiles}, {y, results, AccessKind::write}},
                       share(results + results_in_tiles));
}

bool is_winograd(const LayerConvolution& convolution) {
    return convolution.kernel.algorithm == LibraryAlgorithm::winograd_3x3 &&
           convolution.problem.pass != ConvolutionPass::backward_weights;
}

}  // namespace

bool has_known_accesses(const LayerConvolution& convolution) {
    const LibraryAlgorithm algorithm = convolution.kernel.algorithm;
    return algorithm == LibraryAlgorithm::implicit_gemm ||
           algorithm == LibraryAlgorithm::precomputed_gemm || is_winograd(convolution);
}

// (An algorithm without known accesses is planned as an implicit product.)
void plan(Planner& planner, const LayerConvolution& convolution) {
    const ConvolutionProblem& c = convolution.problem;
    GemmKernel kernel = has_known_accesses(convolution)
                            ? blocks_of(convolution.kernel)
                            : kernel_by_priors({.batch = c.groups,
                                                .m = c.n * c.result_h() * c.result_w(),
                                                .n = c.k / c.groups,
                                                .k = c.c / c.groups * c.r * c.s},
                                               planner.device);
    std::swap(kernel.tile_m, kernel.tile_n);
    const Planes planes{c, kernel};
    if (is_winograd(convolution)) {
        plan_winograd(planner, planes);
    } else if (c.pass == ConvolutionPass::forward) {
        plan_forward(planner, planes);
    } else if (c.pass == ConvolutionPass::backward_data) {
        plan_backward_data(planner, planes);
    } else {
        plan_backward_weights(planner, planes);
    }
}

}  // namespace strata
