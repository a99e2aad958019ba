// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "op/window.h"
#include "op/work.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

// strata's own methods to compute a convolution on a CPU, in addition to the library's.
namespace strata::cpu {

// One pass of a convolution of f32 images: x[N, C, H, W] with weight[K, C / groups, R, S] gives
// y[N, K, P, Q]. Its window is as `window_of` returns it.
struct ConvolutionProblem {
    Pass pass = Pass::forward;
    Dims x;
    Dims weight;
    Dims y;
    Window window;
    std::int64_t groups = 1;
    bool bias = false;
    bool sum = false;               // y += another tensor, in the forward pass only
    bool relu = false;              // then y = max(0, y), in the forward pass only
    bool constant_weights = false;  // the same in every run; in the forward pass only
    int threads = 1;
};

// The order of the images' elements: plain, channels in padded blocks of 8 or 16 (the library's
// nChw8c and nChw16c), channels last, the batch last. Channels that only fill up a block are zero:
// a method may rely on it, and writes zeros there.
enum class ImageOrder { nchw, nchw8c, nchw16c, nhwc, chwn };

// The order of the filters' elements: plain, or blocks of inputs by outputs as the library uses
// them with such images (OIhw8i8o, OIhw16i16o). The gradient of the weights has the same order.
enum class FilterOrder { oihw, oihw8i8o, oihw16i16o };

struct OperandOrders {
    ImageOrder x = ImageOrder::nchw;
    FilterOrder weight = FilterOrder::oihw;
    ImageOrder y = ImageOrder::nchw;
};

// What a method computes once from constant weights and then reads instead of them, such as their
// transforms. No bytes: it reads the weights themselves.
struct KeptWeights {
    Bytes bytes = {};
    // `kept` is aligned to 64 bytes; the workspace is that of a run.
    std::function<void(const float* weight, float* kept, std::byte* workspace)> make = {};
};

// The operands, or their gradients in a backward pass: the pass determines which of them are
// results. `weight` holds the method's KeptWeights, if it keeps any. The forward pass reads x,
// weight, bias and addend and writes y; the pass for the data reads y's gradient and weight and
// writes x's; the pass for the weights reads x and y's gradient and writes those of weight and
// bias. Null: the problem does not have it.
struct ConvolutionOperands {
    float* x = nullptr;
    float* weight = nullptr;
    float* bias = nullptr;
    float* y = nullptr;
    float* addend = nullptr;  // of the sum, in the order of y; may be y itself
};

// A pass prepared by one method. It runs on as many OpenMP threads as the problem states, and may
// be run repeatedly, but not by two callers at once with the same workspace.
class PreparedConvolution {
public:
    virtual ~PreparedConvolution() = default;

    // "strata:winograd-4x4-3x3:avx512".
    virtual std::string implementation() const = 0;
    virtual OperandOrders orders() const = 0;
    // Aligned to a page by the caller; undefined before and after a run.
    virtual Bytes workspace() const = 0;
    // The arithmetic of a run, including transforms and padding.
    virtual Operations operations() const = 0;
    // Valid as long as this object.
    virtual KeptWeights kept_weights() const { return {}; }
    virtual void run(const ConvolutionOperands& operands, std::byte* workspace) const = 0;
};

// A method to compute convolutions, by the name that users give: "winograd-4x4-3x3", "fft-tiled".
// "direct" is the library's, except for images whose batch is last, and for the weights' gradient
// of depthwise windows without a kernel in the library.
struct ConvolutionMethod {
    std::string_view name;
    // `preferred` has the orders of the operands, if already decided: a method accepts them if that
    // costs no speed, so that nothing needs to be reordered. Throws Refusal if the method cannot do
    // this problem: "stride 2: Winograd needs stride 1".
    std::unique_ptr<PreparedConvolution> (*prepare)(const ConvolutionProblem& problem,
                                                    const OperandOrders& preferred);
};

// All methods, in the order in which users see them.
std::span<const ConvolutionMethod> convolution_methods();

}  // namespace strata::cpu
