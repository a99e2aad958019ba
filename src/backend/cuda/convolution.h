// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/convolution.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

// A convolution's call and the text of its step.
struct ConvolutionStep {
    Call call;
    StepText text;
};

// Uses the first plan in cuDNN's lists that can be built and is precise enough, or the fastest of
// the first few if that is requested and there is a device to try them on. Views: x, w and y, or
// the gradients that the pass computes in their place. Throws Refusal if there is no plan.
ConvolutionStep convolution_step(Lowering& lowering, const ConvolutionProblem& problem,
                                 std::vector<TensorView> views);

// The call that runs the plan in use, or the only plan. Views as above.
std::shared_ptr<LibraryCall> convolution_call(const ConvolutionProblem& problem,
                                              std::shared_ptr<PlanChoice> choice);
std::shared_ptr<LibraryCall> convolution_call(const ConvolutionProblem& problem,
                                              std::shared_ptr<const BuiltPlan> plan);

// How a step describes a plan.
WayText text_of(const BuiltPlan& plan);

// The cuDNN problem of one pass of a layer. The backward pass for the data of a transposed
// convolution is a forward convolution, and vice versa. Requires: a layer that is a convolution of
// either kind.
ConvolutionProblem problem_of_pass(const Graph& graph, const Layer& layer, Pass pass,
                                   const Format& format, const Execution& execution);

// The element order of the network's convolutions: the requested one; by default channels last if
// they are to run on tensor cores, which prefer it.
Order convolution_order(const Execution& execution);

}  // namespace strata::cuda
