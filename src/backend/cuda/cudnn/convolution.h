// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/epilogue.h"
#include "backend/cuda/cudnn/plan.h"
#include "backend/cuda/device/format.h"
#include "graph/execution.h"
#include "op/operator.h"
#include "op/window.h"

namespace strata::cuda {

// A convolution in one of its three directions: y from x and w, dx from w and dy, dw from x and dy.
// Everything lies in one format. Groups follow from the channels of x and w.
struct ConvolutionProblem {
    Pass pass = Pass::forward;
    Dims x = {};  // batch, channels, one to three spatial axes
    Dims w = {};
    Dims y = {};
    Window window = {};
    Format format = {};
    SinglePrecision single_precision = SinglePrecision::full;
    ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::automatic;
    // What becomes of the result before it is written, in one operation graph. Images that are read
    // there lie in the same format.
    std::vector<Epilogue> epilogue = {};
};

// Of the tensors in a plan's variant pack; the epilogue's operands follow.
enum class ConvolutionTensor : std::int64_t { x = 1, w = 2, y = 3 };
// The one that a pass computes.
ConvolutionTensor result_of(Pass pass);
const Dims& dims_of(const ConvolutionProblem& problem, ConvolutionTensor which);

// The problem as cuDNN's operation graph. Throws DeviceError where it refuses.
Descriptor convolution_graph(const ConvolutionProblem& problem);

// Whether a plan may be used for the problem: one that computes an f32 problem in less than f32 is
// for those who requested it.
bool is_precise_enough(const ConvolutionProblem& problem, const PlanTraits& traits);

// Whether a plan computes by the algorithm requested: Winograd's, or neither that nor a Fourier
// transform.
bool is_asked_for(ConvolutionAlgorithm algorithm, const PlanTraits& traits);

// "convolution forward 32x64x27x27 * 192x64x5x5, f32 nchw"
std::string text_of(const ConvolutionProblem& problem);

}  // namespace strata::cuda
