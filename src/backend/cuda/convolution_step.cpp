// SPDX-License-Identifier: MIT
#include "backend/cuda/convolution.h"

#include "backend/cuda/cudnn/device.h"
#include "backend/cuda/queue.h"
#include "backend/cuda/trouble.h"
#include "backend/cuda/values.h"
#include "backend/reference/step.h"

#include <fmt/format.h>

#include <array>

namespace strata::cuda {

namespace {

constexpr std::array<std::int64_t, 3> tensor_ids = {1, 2, 3};  // of ConvolutionTensor, in order

class ConvolutionCall : public LibraryCall {
public:
    ConvolutionCall(const ConvolutionProblem& problem, BuiltPlan plan)
        : problem_(problem), plan_(std::move(plan)) {}

    void enqueue(const Queue& queue, std::span<void* const> addresses) const override;
    void compute_on_host(std::span<void* const> addresses) const override;
    std::size_t workspace() const override { return plan_.workspace; }

private:
    std::size_t result() const {
        return problem_.pass == Pass::forward ? 2 : problem_.pass == Pass::backward_data ? 0 : 1;
    }

    ConvolutionProblem problem_;
    BuiltPlan plan_;
};

void ConvolutionCall::enqueue(const Queue& queue, std::span<void* const> addresses) const {
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, tensor_ids);
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, std::ssize(addresses),
             addresses.data());
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &queue.workspace);
    pack.finalize();
    require_cudnn(cudnnBackendExecute(queue.cudnn, plan_.plan.get(), pack.get()),
                  text_of(problem_));
}

// By the reference's loops, over values in rows.
void ConvolutionCall::compute_on_host(std::span<void* const> addresses) const {
    const std::array dims = {problem_.x, problem_.w, problem_.y};
    std::array<HostValues, 3> values;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const auto count = static_cast<std::size_t>(product(dims[i]));
        const auto* begin = static_cast<const std::byte*>(addresses[i]);
        values[i] =
            decode({begin, count * size_in_bytes(problem_.format.type)}, dims[i], problem_.format);
    }
    const Window& window = problem_.window;
    const Convolution op = {.out_channels = problem_.w[0],
                            .kernel = window.kernel,
                            .stride = window.stride,
                            .dilation = window.dilation,
                            .pad_begin = window.pad_begin,
                            .pad_end = window.pad_end,
                            .groups = problem_.x[1] / problem_.w[1],
                            .bias = false};
    const Signature signature = {{{{problem_.x}}, {{problem_.w}, Role::parameter}}, {{problem_.y}}};
    const Execution execution;
    HostValues& made = values[result()];
    ReferenceOperands operands{signature, execution, {values[0], values[1]}, {}, {}, {}, {}};
    if (problem_.pass == Pass::forward) {
        operands.outputs = {made};
        compute_forward(op, operands);
    } else {
        const HostValues other = values[1 - result()];
        HostValues gradient(made.size());
        operands.output_gradients = {values[2]};
        operands.input_gradients.resize(2);
        operands.input_gradients[result()] = gradient;
        compute_backward(op, operands);
        made = gradient;
    }
    const auto bytes = encode(made, dims[result()], problem_.format);
    std::ranges::copy(bytes, static_cast<std::byte*>(addresses[result()]));
}

// The first that cuDNN stands by; nothing where all of a list fail.
std::optional<BuiltPlan> first_plan(const ConvolutionProblem& problem, const Descriptor& graph,
                                    const Descriptor& device, HeuristicMode mode) {
    for (const OfferedPlan& offered : offered_plans(graph, device, mode)) {
        if (!is_precise_enough(problem, offered.traits)) {
            continue;
        }
        try {
            return build_plan(offered, device);
        } catch (const DeviceError&) {  // the next may do
        }
    }
    return std::nullopt;
}

BuiltPlan plan_for(const Lowering& lowering, const ConvolutionProblem& problem) {
    try {
        const Descriptor graph = convolution_graph(problem);
        const Descriptor device = device_descriptor(lowering.properties());
        for (const HeuristicMode mode : {HeuristicMode::a, HeuristicMode::fallback}) {
            if (auto plan = first_plan(problem, graph, device, mode)) {
                return std::move(*plan);
            }
        }
    } catch (const DeviceError& error) {
        throw Refusal{error.what()};
    }
    throw Refusal{fmt::format("cuDNN has no plan for {}", text_of(problem))};
}

}  // namespace

std::shared_ptr<LibraryCall> convolution_call(const ConvolutionProblem& problem, BuiltPlan plan) {
    return std::make_shared<ConvolutionCall>(problem, std::move(plan));
}

ConvolutionProblem problem_of_pass(const Graph& graph, const Layer& layer, Pass pass,
                                   const Format& format, SinglePrecision single_precision) {
    const Tensor& image = graph.tensors[layer.inputs[0]].tensor;
    const Dims& result = graph.tensors[layer.outputs[0]].tensor.dims;
    const auto* plain = std::get_if<Convolution>(&layer.op);
    const Pass mirrored = pass == Pass::forward         ? Pass::backward_data
                          : pass == Pass::backward_data ? Pass::forward
                                                        : pass;
    return {.pass = plain ? pass : mirrored,
            .x = plain ? image.dims : result,
            .w = graph.tensors[layer.inputs[1]].tensor.dims,
            .y = plain ? result : image.dims,
            .window = plain ? window_of(*plain, image)
                            : window_of(std::get<TransposedConvolution>(layer.op), image),
            .format = format,
            .single_precision = single_precision};
}

ConvolutionStep convolution_step(const Lowering& lowering, const ConvolutionProblem& problem,
                                 std::vector<Place> places) {
    BuiltPlan plan = plan_for(lowering, problem);
    StepText text = {"cudnn:" + name_of(plan.traits), text_of(problem.x, problem.format),
                     text_of(plan.traits.notes)};
    return {{convolution_call(problem, std::move(plan)), std::move(places)}, std::move(text)};
}

Order convolution_order(const Execution& execution) {
    switch (execution.image_layout) {
        case ImageLayout::channels_first:
            return Order::rows;
        case ImageLayout::channels_last:
            return Order::channels_last;
        case ImageLayout::automatic:
            break;
    }
    const bool by_tensor_cores =
        execution.dtype != DataType::f32 || execution.single_precision == SinglePrecision::tf32;
    return by_tensor_cores ? Order::channels_last : Order::rows;
}

}  // namespace strata::cuda
