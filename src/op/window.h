// SPDX-License-Identifier: MIT
#pragma once

#include "op/convolution.h"
#include "op/pooling.h"
#include "op/transposed_convolution.h"

namespace strata {

// A window that slides over the spatial axes, with one value per axis and all defaults filled in.
// Kernels take it from here, so that no backend fills in its own defaults.
struct Window {
    Dims kernel;
    Dims stride;
    Dims dilation;
    Dims pad_begin;
    Dims pad_end;
};

// The window of a layer over an input [N, C, spatial...]. A global pooling's window is the whole
// plane. Throws Error if an attribute does not fit the number of axes or is out of range.
Window window_of(const Convolution& convolution, const Tensor& input);
Window window_of(const TransposedConvolution& convolution, const Tensor& input);
Window window_of(const Pooling& pooling, const Tensor& input);

// Whether a last, incomplete window counts.
enum class WindowRounding { floor, ceil };

// Positions of the window along each spatial axis:
// (extent + pad_begin + pad_end - dilated kernel) / stride + 1, rounded down or up. Rounded up, a
// last window that would start beyond the input and its leading pad is dropped (Caffe, PyTorch and
// ONNX agree). `type` names the operator in the Error thrown if the kernel does not fit.
Dims positions(std::string_view type, const Window& window, std::span<const std::int64_t> spatial,
               WindowRounding rounding);

}  // namespace strata
