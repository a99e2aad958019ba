// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/convolution.h"

#include "backend/cuda/cudnn/operation_graph.h"
#include "backend/cuda/device/machine.h"

#include <fmt/format.h>

namespace strata::cuda {

namespace {

// cuDNN requires at least two spatial axes, so a sequence becomes an image with one column.
Dims with_two_axes(Dims values, std::size_t spatial, std::int64_t added) {
    if (spatial == 1) {
        values.push_back(added);
    }
    return values;
}

std::size_t spatial_axes(const ConvolutionProblem& problem) {
    return problem.x.size() - 2;
}

// The shape of an operand or result with these extents.
TensorShape shape_in(const ConvolutionProblem& problem, const Dims& own) {
    const Dims dims = with_two_axes(own, spatial_axes(problem), 1);
    return {dims, strides_of(dims, problem.format.order), data_type(problem.format.type)};
}

Descriptor window_descriptor(const ConvolutionProblem& problem) {
    const std::size_t spatial = spatial_axes(problem);
    const Window& w = problem.window;
    const cudnnDataType_t sums = CUDNN_DATA_FLOAT;
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    Descriptor window(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    window.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &sums);
    window.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
    window.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS,
               static_cast<std::int64_t>(spatial == 1 ? 2 : spatial));
    window.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, with_two_axes(w.pad_begin, spatial, 0));
    window.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, with_two_axes(w.pad_end, spatial, 0));
    window.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, with_two_axes(w.stride, spatial, 1));
    window.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, with_two_axes(w.dilation, spatial, 1));
    window.finalize();
    return window;
}

// The names of one direction's attributes.
struct Attributes {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t x, w, y, window, alpha, beta;
};

Attributes attributes_of(Pass pass) {
    switch (pass) {
        case Pass::backward_data:
            return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
        case Pass::backward_weights:
            return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
        default:
            return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
    }
}

// Works on the graph's x, w and y, except that this tensor replaces the result.
Descriptor convolution_operation(const ConvolutionProblem& problem, const OperationGraph& graph,
                                 std::int64_t result) {
    const Attributes names = attributes_of(problem.pass);
    const float one = 1;
    const float zero = 0;
    const auto tensor = [&](ConvolutionTensor which) -> const Descriptor& {
        return graph.tensor(which == result_of(problem.pass) ? result
                                                             : static_cast<std::int64_t>(which));
    };
    Descriptor operation(names.type);
    operation.set(names.x, tensor(ConvolutionTensor::x));
    operation.set(names.w, tensor(ConvolutionTensor::w));
    operation.set(names.y, tensor(ConvolutionTensor::y));
    operation.set(names.window, window_descriptor(problem));
    operation.set(names.alpha, CUDNN_TYPE_FLOAT, 1, &one);
    operation.set(names.beta, CUDNN_TYPE_FLOAT, 1, &zero);
    operation.finalize();
    return operation;
}

// One value per channel, as an image with one element.
Dims channel_dims(const Dims& dims) {
    Dims channels(dims.size(), 1);
    channels[1] = dims[1];
    return channels;
}

// Adds the operations from tensor `from` to the pass's result; intermediate tensors are f32. The
// operands' numbers follow that of y.
void add_epilogue(const ConvolutionProblem& problem, OperationGraph& graph, std::int64_t from) {
    const Dims& dims = dims_of(problem, result_of(problem.pass));
    const TensorShape image = shape_in(problem, dims);
    auto operand = static_cast<std::int64_t>(ConvolutionTensor::y);
    for (std::size_t i = 0; i < problem.epilogue.size(); ++i) {
        const Epilogue each = problem.epilogue[i];
        const bool is_last = i + 1 == problem.epilogue.size();
        const std::int64_t to = is_last ? static_cast<std::int64_t>(result_of(problem.pass))
                                        : graph.add_passing(image.as(CUDNN_DATA_FLOAT));
        if (each == Epilogue::relu) {
            graph.pointwise(CUDNN_POINTWISE_RELU_FWD, from, {}, to);
        } else {
            graph.add_in_memory(++operand, each == Epilogue::add_image
                                               ? image
                                               : shape_in(problem, channel_dims(dims)));
            graph.pointwise(CUDNN_POINTWISE_ADD, from, operand, to);
        }
        from = to;
    }
}

}  // namespace

ConvolutionTensor result_of(Pass pass) {
    switch (pass) {
        case Pass::backward_data:
            return ConvolutionTensor::x;
        case Pass::backward_weights:
            return ConvolutionTensor::w;
        default:
            return ConvolutionTensor::y;
    }
}

const Dims& dims_of(const ConvolutionProblem& problem, ConvolutionTensor which) {
    switch (which) {
        case ConvolutionTensor::x:
            return problem.x;
        case ConvolutionTensor::w:
            return problem.w;
        case ConvolutionTensor::y:
            break;
    }
    return problem.y;
}

Descriptor convolution_graph(const ConvolutionProblem& problem, const PlanTarget& target) {
    OperationGraph graph;
    for (const auto which : {ConvolutionTensor::x, ConvolutionTensor::w, ConvolutionTensor::y}) {
        graph.add_in_memory(static_cast<std::int64_t>(which),
                            shape_in(problem, dims_of(problem, which)));
    }
    const ConvolutionTensor made = result_of(problem.pass);
    const TensorShape passing = shape_in(problem, dims_of(problem, made)).as(CUDNN_DATA_FLOAT);
    const std::int64_t result =
        problem.epilogue.empty() ? static_cast<std::int64_t>(made) : graph.add_passing(passing);
    graph.add(convolution_operation(problem, graph, result));
    add_epilogue(problem, graph, result);
    return graph.finish(target);
}

std::vector<OfferedPlan> convolution_plans(const ConvolutionProblem& problem,
                                           const PlanTarget& target, HeuristicMode mode) {
    constexpr std::int64_t winograd_of_filters = 17;
    std::vector<OfferedPlan> plans =
        offered_plans(convolution_graph(problem, target), target, mode);
    // Engine 1 computed wrong gradients of filters for such padding (cuDNN 9.19, sm_90).
    constexpr std::int64_t for_equal_padding = 1;
    if (problem.pass == Pass::backward_weights &&
        problem.window.pad_begin != problem.window.pad_end) {
        std::erase_if(
            plans, [](const OfferedPlan& plan) { return plan.traits.engine == for_equal_padding; });
    }
    for (OfferedPlan& plan : plans) {
        plan.traits.notes.winograd =
            plan.traits.notes.winograd ||
            (problem.pass == Pass::backward_weights && plan.traits.engine == winograd_of_filters);
    }
    return plans;
}

// Tensor cores take f32 operands as TF32. Sums are f32 in every type; where cuDNN narrows them, its
// gradients of 3-D depthwise filters were wrong altogether (engine 20 of cuDNN 9.19, sm_90).
bool is_precise_enough(const ConvolutionProblem& problem, const PlanTraits& traits) {
    if (traits.notes.reduced_precision_reduction) {
        return false;
    }
    const bool narrows = traits.notes.tensor_core || traits.notes.down_converts_inputs;
    return problem.format.type != ElementType::f32 || !narrows ||
           problem.single_precision == SinglePrecision::tf32;
}

bool is_asked_for(ConvolutionAlgorithm algorithm, const PlanTraits& traits) {
    switch (algorithm) {
        case ConvolutionAlgorithm::direct:
            return !traits.notes.winograd && !traits.notes.fft;
        case ConvolutionAlgorithm::winograd:
            return traits.notes.winograd;
        case ConvolutionAlgorithm::fft:
        case ConvolutionAlgorithm::fft_tiled:
            return traits.notes.fft;
        // A plan does not say that it is one of these.
        case ConvolutionAlgorithm::gemm:
        case ConvolutionAlgorithm::implicit_gemm:
        case ConvolutionAlgorithm::winograd_2x2_3x3:
        case ConvolutionAlgorithm::winograd_4x4_3x3:
        case ConvolutionAlgorithm::winograd_6x6_3x3:
        case ConvolutionAlgorithm::winograd_2x2_5x5:
        case ConvolutionAlgorithm::winograd_4x4_5x5:
            return false;
        case ConvolutionAlgorithm::automatic:
        case ConvolutionAlgorithm::fastest:
            break;
    }
    return true;
}

std::string text_of(const ConvolutionProblem& problem) {
    std::string text =
        fmt::format("convolution {} {} * {}, {}", name_of(problem.pass), to_text(problem.x),
                    to_text(problem.w), text_of(problem.x, problem.format));
    for (const Epilogue each : problem.epilogue) {
        text.append(", ").append(names_of(each)[static_cast<std::size_t>(each)]);
    }
    return text;
}

}  // namespace strata::cuda
