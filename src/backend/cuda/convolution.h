// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/convolution.h"
#include "backend/cuda/device/stream.h"
#include "backend/cuda/lowering.h"
#include "backend/lower/fused.h"

#include <cstddef>
#include <functional>
#include <limits>

namespace strata::cuda {

// A convolution's call and the text of its step.
struct ConvolutionStep {
    Call call;
    StepText text;
};

// Uses the fastest of the first few plans in cuDNN's lists that can be built and are precise
// enough, if there is a device to try them on and no algorithm is requested, or else the first of
// them. Views: x, w and y, or
// the gradients that the pass computes in their place. Throws Refusal if there is no plan.
ConvolutionStep convolution_step(Lowering& lowering, const ConvolutionProblem& problem,
                                 std::vector<TensorView> views);

// The call that runs the plan in use, or the only plan. Views as above.
std::shared_ptr<LibraryCall> convolution_call(const ConvolutionProblem& problem,
                                              std::shared_ptr<PlanChoice> choice);
std::shared_ptr<LibraryCall> convolution_call(const ConvolutionProblem& problem,
                                              std::shared_ptr<const BuiltPlan> plan);

// A step's description of a plan.
WayText text_of(const BuiltPlan& plan);

// The cuDNN problem of one pass of a layer. The backward pass for the data of a transposed
// convolution is a forward convolution, and vice versa. Requires: a layer that is a convolution of
// either kind.
ConvolutionProblem problem_of_pass(const Graph& graph, const Layer& layer, Pass pass,
                                   const Format& format, const Execution& execution);

// The element order of the network's convolutions: the requested one; by default channels last if
// they run on tensor cores, which prefer it.
Order convolution_order(const Execution& execution);

// Lowers the forward pass of a convolution as one operation with its bias and as many following
// layers (Lowering::followers) as cuDNN has a plan for. A batch normalisation is folded into the
// weights and the bias; a sum and a ReLU become part of the operation. The followers' tasks become
// steps within this one. Adds a step if it returns Fused::done.
FusedResult lower_fused_convolution(Lowering& lowering, const Layer& layer, const Format& format);

// y += the bias of each element's channel. The bias is f32.
Call add_channel_bias(const TensorView& y, const TensorView& bias);

// sums = dy summed over every axis but the channels.
std::vector<Call> channel_sums(Lowering& lowering, const TensorView& dy, const TensorView& sums);

inline constexpr double refused_time = std::numeric_limits<double>::infinity();

// What `time_of` returns; refused_time if it throws DeviceError for a library's refusal or for lack
// of scratch memory.
double time_unless_refused(const std::function<double()>& time_of);

// The index of the shortest time; the first, the library's favourite, unless another is 5 %
// shorter, so that noise does not decide between equals. If all are refused it is the first, whose
// way will then report it itself. Requires: a time.
std::size_t fastest_in(std::span<const double> times);

// The time in milliseconds of the work that `enqueue` puts on the queue: the minimum of three
// rounds of four after a warm-up; of one round of one if that takes more than twice this time,
// because slow work is not worth more.
double best_time(const Queue& queue, const std::function<void()>& enqueue, double to_beat);

}  // namespace strata::cuda
