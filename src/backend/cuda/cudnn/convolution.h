// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/plan.h"
#include "backend/cuda/device/format.h"
#include "graph/execution.h"
#include "op/operator.h"
#include "op/window.h"

#include <array>
#include <optional>
#include <string_view>

namespace strata::cuda {

// An operation on each element of a convolution's result before it is written. cuDNN's precompiled
// engines support the optional addition of an image, then that of a bias, then an optional ReLU.
// Anything else needs an engine compiled at run time, about which cuDNN reports nothing without a
// driver.
enum class Epilogue {
    add_image,  // plus the corresponding element of another tensor
    add_bias,   // plus the channel's value, which has the images' type
    relu,       // max(x, 0)
};
inline constexpr std::array<std::string_view, 3> names_of(Epilogue) {
    return {"add", "bias", "relu"};
}

// A convolution in one of its three directions: y from x and w, dx from w and dy, dw from x and dy.
// All tensors share one format. The number of groups follows from the channels of x and w.
struct ConvolutionProblem {
    Pass pass = Pass::forward;
    Dims x = {};  // batch, channels, one to three spatial axes
    Dims w = {};
    Dims y = {};
    Window window = {};
    Format format = {};
    SinglePrecision single_precision = SinglePrecision::full;
    ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::automatic;
    std::optional<Bytes> workspace_limit = {};
    // Operations on the result before it is written, in the same operation graph. Images that they
    // read have the same format.
    std::vector<Epilogue> epilogue = {};
};

// Tensors in a plan's variant pack; the epilogue's operands follow.
enum class ConvolutionTensor : std::int64_t { x = 1, w = 2, y = 3 };
// The tensor that a pass computes.
ConvolutionTensor result_of(Pass pass);
const Dims& dims_of(const ConvolutionProblem& problem, ConvolutionTensor which);

// The problem as cuDNN's operation graph. Throws DeviceError if cuDNN refuses it.
Descriptor convolution_graph(const ConvolutionProblem& problem, const PlanTarget& target);

// The plans for a problem, as offered_plans, with what cuDNN 9 does not note: its engine 17 of
// filters' gradients runs the kernels of WINOGRAD_NONFUSED, in its memory and time.
std::vector<OfferedPlan> convolution_plans(const ConvolutionProblem& problem,
                                           const PlanTarget& target, HeuristicMode mode);

// Whether a plan may be used for the problem. A plan that computes an f32 problem in less than f32
// is allowed only on request.
bool is_precise_enough(const ConvolutionProblem& problem, const PlanTraits& traits);

// Whether a plan uses the requested algorithm: Winograd, a Fourier transform, or for `direct`
// neither. cuDNN says nothing else about a plan.
bool is_asked_for(ConvolutionAlgorithm algorithm, const PlanTraits& traits);

// "convolution forward 32x64x27x27 * 192x64x5x5, f32 nchw"
std::string text_of(const ConvolutionProblem& problem);

}  // namespace strata::cuda
