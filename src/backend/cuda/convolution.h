// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/convolution.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

// A convolution's call and what its step says of it.
struct ConvolutionStep {
    Call call;
    StepText text;
};

// By the first plan of cuDNN's lists that can be built and is precise enough, or the fastest of the
// first few where that is requested and there is a device to try them. Views: those of x, w and y,
// or of their gradients where the pass gives them. Throws Refusal where there is none.
ConvolutionStep convolution_step(Lowering& lowering, const ConvolutionProblem& problem,
                                 std::vector<TensorView> views);

// The call of the plan that is used, or of the one plan that there is. Views as above.
std::shared_ptr<LibraryCall> convolution_call(const ConvolutionProblem& problem,
                                              std::shared_ptr<PlanChoice> choice);
std::shared_ptr<LibraryCall> convolution_call(const ConvolutionProblem& problem,
                                              std::shared_ptr<const BuiltPlan> plan);

// What a step says of a plan.
WayText text_of(const BuiltPlan& plan);

// What one pass of a layer asks of cuDNN. Of a transposed convolution the data's pass is a forward
// one, and the other way round. Requires: a layer that is a convolution of either kind.
ConvolutionProblem problem_of_pass(const Graph& graph, const Layer& layer, Pass pass,
                                   const Format& format, const Execution& execution);

// In which order a convolution of the network works: as asked; else channels last, which tensor
// cores want, where they are to compute it.
Order convolution_order(const Execution& execution);

}  // namespace strata::cuda
